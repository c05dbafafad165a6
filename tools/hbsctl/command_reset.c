// SPDX-License-Identifier: GPL-2.0-or-later
/* Reset a card or a group */
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "document.h"
#include "link.h"
#include "records.h"

enum status command_reset(int argc, char **argv)
{
	struct link_request request = { .schema = &schema_card };
	struct arguments arguments;
	char name[FIELD_TEXT_SIZE];
	struct link_error error;
	enum status status;
	struct link link;

	if (!arguments_read_common(argc, argv, TAKES_CARD | TAKES_GROUP | NEEDS_ONE, &arguments,
				   &status))
		return status;
	status = link_open(&link, false);
	if (status)
		return status;
	request.command = HBS_NL_CMD_CARD_RESET;
	link_put(&request, HBS_A_CARD_CARD, arguments.target.card);
	if (arguments.target.has_group) {
		request.command = HBS_NL_CMD_GROUP_RESET;
		request.schema = &schema_group;
		link_put(&request, HBS_A_GROUP_GROUP, arguments.target.group);
	}
	link_name(&arguments.target, name);
	if (link_ask(&link, &request, &error))
		status = link_complain(&error, name);
	else if (arguments.json)
		document_print(json_pack("{s:s, s:b}", "name", name, "reset", 1));
	else
		printf("%s was reset.\n", name);
	link_close(&link);
	return status;
}
