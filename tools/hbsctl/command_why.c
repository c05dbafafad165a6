// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a barrier does not complete */
#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "software_groups.h"
#include "stall.h"
#include "stop.h"

enum status command_why(int argc, char **argv)
{
	struct arguments arguments;
	struct stall stall;
	enum status status;

	if (!arguments_read_common(argc, argv, TAKES_GROUP | TAKES_PROCESS | NEEDS_ONE, &arguments,
				   &status))
		return status;
	stop_prepare();
	if (arguments.target.has_pid)
		return software_groups_explain(&arguments.target, arguments.json);
	status = stall_of_card(&arguments.target, &stall);
	if (!status && arguments.json)
		document_print(json_pack("[o]", stall_json(&stall)));
	else if (!status)
		stall_print(&stall);
	stall_free(&stall);
	return status;
}
