/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A member adds up the result of a barrier without the lock, while another leaves:
 * hbsi_soft_result() of lib/software/values.c against hbsi_soft_give_up_seat(). While the
 * state is frozen, the value of the leaving member moves from its seat to the group, and then
 * the state differs: a reader that finds the same state before and after, and not frozen, has
 * added each value once.
 *
 * The loads of the sum are relaxed, so that they may be made in any order; the first look at
 * the state acquires, and so comes before them; a fence keeps the last one behind them. Stores
 * of the leaving member become visible in their order.
 *
 * Errors to plant: NOFENCE, the last look may come before the loads; FIRST, so may the
 * first look come after them; FROZEN, a frozen state is as good as another.
 */
byte state;	   /* how often it was made anew; odd: frozen */
byte in_seat = 1, left = 0;
byte done;

proctype leaver() {
	state++;
	left = 1;
	in_seat = 0;
	state++;
	done++
}

proctype reader() {
	byte before, after, a, b;
	bool has_before, has_after, has_a, has_b;

	do
	:: !has_before -> before = state; has_before = true
#ifdef FIRST
	:: !has_a -> a = in_seat; has_a = true
	:: !has_b -> b = left; has_b = true
#else
	:: has_before && !has_a -> a = in_seat; has_a = true
	:: has_before && !has_b -> b = left; has_b = true
#endif
#ifdef NOFENCE
	:: has_before && !has_after -> after = state; has_after = true
#else
	:: has_before && has_a && has_b && !has_after -> after = state; has_after = true
#endif
	:: has_before && has_a && has_b && has_after -> break
	od;
#ifdef FROZEN
	assert(before != after || a + b == 1);
#else
	assert(before != after || before % 2 || a + b == 1);
#endif
	done++
}

init {
	atomic { run leaver(); run reader() }
}

ltl all_leave { <> (done == 2) }
