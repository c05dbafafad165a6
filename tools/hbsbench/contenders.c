// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of contenders: a line for each that is no algorithm of hbs */
#include <stddef.h>

#include "contender.h"

extern const struct contender contender_none, contender_pthread, contender_libgomp,
	contender_libomp_14, contender_libomp_19, contender_ck_centralized, contender_ck_combining,
	contender_ck_dissemination, contender_ck_mcs, contender_ck_tournament,
	contender_std_barrier, contender_hbs, contender_hbs_fixed, contender_hbs_pthread,
	contender_hbs_card, contender_hbs_card_count, contender_hbs_card_polling,
	contender_hbs_card_csr, contender_hbs_card_member, contender_hbs_card_node,
	contender_hbs_idle, contender_hbs_card_idle, contender_hbs_passive, contender_hbs_spin,
	contender_hbs_active, contender_hbs_card_passive, contender_hbs_card_spin,
	contender_hbs_card_active;

const struct contender *const contenders[] = {
	&contender_none,
	&contender_pthread,
	&contender_libgomp,
	&contender_libomp_14,
	&contender_libomp_19,
	&contender_ck_centralized,
	&contender_ck_combining,
	&contender_ck_dissemination,
	&contender_ck_mcs,
	&contender_ck_tournament,
	&contender_std_barrier,
	&contender_hbs,
	&contender_hbs_fixed,
	&contender_hbs_pthread,
	&contender_hbs_idle,
	&contender_hbs_card,
	&contender_hbs_card_count,
	&contender_hbs_card_polling,
	&contender_hbs_card_csr,
	&contender_hbs_card_member,
	&contender_hbs_card_node,
	&contender_hbs_card_idle,
	&contender_hbs_passive,
	&contender_hbs_spin,
	&contender_hbs_active,
	&contender_hbs_card_passive,
	&contender_hbs_card_spin,
	&contender_hbs_card_active,
	NULL,
};
