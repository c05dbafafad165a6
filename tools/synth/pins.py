# SPDX-License-Identifier: GPL-2.0-or-later
"""A module that brings the card's many ports to few pins, so that it can be routed."""

TOP = "hbs_pins"


def wrapper(card, ports):
    """Verilog: inputs come from a shift register, outputs go into another one.

    Each path of the card starts and ends at a flip-flop, as it does in front of another
    module. A port called clk_i is the clock.
    """
    inputs = sum(len(port["bits"]) for name, port in ports.items()
                 if port["direction"] == "input" and name != "clk_i")
    outputs = sum(len(port["bits"]) for port in ports.values()
                  if port["direction"] == "output")
    connections, at = [".clk_i(clk_i)"], {"input": 0, "output": 0}
    for name, port in ports.items():
        if name == "clk_i":
            continue
        low, width, way = at[port["direction"]], len(port["bits"]), port["direction"]
        connections.append(f".{name}({'in_q' if way == 'input' else 'out'}"
                           f"[{low + width - 1}:{low}])")
        at[way] += width
    return f"""// made by tools/synth
module {TOP}(input clk_i, input in_i, input load_i, output out_o);
  reg [{inputs - 1}:0] in_q;
  wire [{outputs - 1}:0] out;
  reg [{outputs - 1}:0] out_q;
  always @(posedge clk_i) begin
    in_q <= {{in_q, in_i}};
    out_q <= load_i ? out : {{out_q, 1'b0}};
  end
  assign out_o = out_q[{outputs - 1}];
  {card} u_card({", ".join(connections)});
endmodule
"""
