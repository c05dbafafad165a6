// SPDX-License-Identifier: GPL-2.0-or-later
#include "win.h"

const char *const win_names[WINS] = { "sure", "typical", "lucky", "never" };

enum win win_at(const struct setting *setting, const struct place *place)
{
	if (model_card(HIGH, setting, place) < model_software(LOW, place))
		return WINS_SURE;
	if (model_card(TYPICAL, setting, place) < model_software(TYPICAL, place))
		return WINS_TYPICAL;
	if (model_card(LOW, setting, place) < model_software(HIGH, place))
		return WINS_LUCKY;
	return WINS_NEVER;
}
