// SPDX-License-Identifier: GPL-2.0-or-later
/* Paper 002, table 4: models of the authors' machine with 48 FPGAs, not of this one */
#include "model.h"

const struct model model_paper[2][MODEL_MODES] = {
	[false] = {
		[MODE_SYNC] = {
			.coefficients = { [0] = -1.0641e-1, [1] = 2.8554e-1, [4] = -3.8612e-3,
					  [5] = 1.2842e-3, [10] = 3.3268e-3 },
			.r2 = 0.9254,
			.known = true,
		},
		[MODE_ASYNC] = {
			.coefficients = { [0] = 3.8145e-2, [1] = -3.1503e-2, [3] = -1.0566e-2,
					  [7] = -5.8989e-2, [8] = 2.0707e-1, [9] = 1.9132e-3 },
			.r2 = 0.9258,
			.known = true,
		},
	},
	[true] = {
		[MODE_SYNC] = {
			.coefficients = { [0] = -5.6585e-1, [1] = 8.6366e-1, [3] = 2.4097e-2,
					  [5] = 1.0416e-3, [6] = 1.1998e-3, [10] = -3.9211e-3 },
			.r2 = 0.8760,
			.known = true,
		},
		[MODE_ASYNC] = {
			.coefficients = { [0] = -4.1262e-1, [1] = 9.4450e-1, [2] = -2.7867e-2,
					  [3] = 4.1067e-1, [6] = 4.2625e-4, [8] = -1.8203 },
			.r2 = 0.8131,
			.known = true,
		},
	},
};
