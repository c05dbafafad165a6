// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// The tags of the card's reads on the link. The card's own tags are not used there, for the card
// uses one anew as soon as the read has failed, and an answer that comes late must not be taken
// for that of another read. A tag whose time is over is *late* until its answer comes, or for one
// more such time. The tags take turns, so each rests for as long as possible.

module hbs_tlp_tags #(
  parameter int unsigned Tags = 32,         // the card's
  parameter int unsigned LinkTags = 64,     // on the link: a power of two, 32 to 256
  parameter longint unsigned TimeoutNs = 20_000_000,
  localparam int unsigned TagWidth = $clog2(Tags)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [55:0]         now_i,
  input  logic                bus_master_i,
  input  logic                wide_tags_i,      // tags of 8 bits are enabled, not only of 5
  input  logic                never_late_i,     // the completion time-out is disabled

  // reads of the card
  input  logic                rd_valid_i,
  output logic                rd_ready_o,
  input  logic [63:2]         rd_addr_i,
  input  logic [TagWidth-1:0] rd_tag_i,

  // the same, to be sent
  output logic                link_valid_o,
  input  logic                link_ready_i,
  output logic [63:2]         link_addr_o,
  output logic [7:0]          link_tag_o,

  // completions from the link
  input  logic                back_valid_i,
  output logic                back_ready_o,
  input  logic                back_error_i,
  input  logic [7:0]          back_tag_i,
  input  logic [63:0]         back_data_i,

  // answers to the card
  output logic                ans_valid_o,
  output logic                ans_error_o,
  output logic [TagWidth-1:0] ans_tag_o,
  output logic [63:0]         ans_data_o,

  // what is to be reported, for a cycle each
  output logic                late_o,
  output logic                unexpected_o
);

  localparam int unsigned LinkWidth = $clog2(LinkTags);
  localparam int unsigned StateWidth = 6 + TagWidth;

  // A tag's time is between 8 and 10 of these: from somewhere in the first sweep that finds it used
  // to the beginning of the last one, of which each begins one of these after the one before, or
  // later. So it is never less than 8, however long a sweep is held up.
  localparam logic [55:0] Eighth = 56'((TimeoutNs + 7) / 8);
  localparam logic [3:0] Over = 4'd10;

  typedef enum logic [1:0] {TagFree, TagBusy, TagLate} use_e;

  typedef struct packed {
    use_e                use_of;
    logic [3:0]          age;
    logic [TagWidth-1:0] card;
  } tag_t;

  // One of these in turn: each reads a tag's state, and writes it in the next cycle.
  typedef enum logic [2:0] {
    StClear,   // after a reset
    StChoose,
    StBack,    // a completion
    StSearch,  // for a tag that is free
    StSweep    // a tag grows older
  } state_e;

  state_e               state_q, state_d;
  logic [LinkWidth-1:0] next_q, next_d;    // the next tag to use, or to look at
  logic                 found_q, found_d;  // it is free
  logic [LinkWidth-1:0] sweep_q, sweep_d;
  logic                 sweeping_q, sweeping_d;
  logic [55:0]          tick_q, tick_d;

  logic                 write, read;
  logic [LinkWidth-1:0] waddr, raddr;
  tag_t                 wdata, tag;

  hbs_ram #(.Width(StateWidth), .Depth(LinkTags)) u_tags (
    .clk_i, .write_i(write), .waddr_i(waddr), .wdata_i(wdata), .read_i(read),
    .clear_i(1'b0), .raddr_i(raddr), .rdata_o(tag)
  );

  // With tags of 5 bits the others rest.
  function automatic logic [LinkWidth-1:0] after(logic [LinkWidth-1:0] last, logic wide);
    after = last + 1'b1;
    if (!wide && LinkWidth > 5) after = after & LinkWidth'(31);
  endfunction

  // The time wraps after some years, and a simulation begins at any time.
  logic is_tick;
  assign is_tick = $signed(now_i - tick_q) >= 0;

  logic known, fits;
  assign known = 32'(back_tag_i) < 32'(LinkTags);
  assign fits  = wide_tags_i || 32'(next_q) < 32;

  logic waits;  // the read whose tag is looked at has not been sent yet
  assign waits = link_valid_o && link_tag_o == 8'(sweep_q);

  logic takes, link_valid_d, ans_valid_d, ans_error_d, late_d, unexpected_d;
  assign rd_ready_o = takes;

  always_comb begin
    state_d      = StChoose;
    next_d       = next_q;
    found_d      = found_q;
    sweep_d      = sweep_q;
    sweeping_d   = sweeping_q;
    tick_d       = tick_q;
    write        = 1'b0;
    read         = 1'b0;
    waddr        = sweep_q;
    raddr        = sweep_q;
    wdata        = tag;
    takes        = 1'b0;
    link_valid_d = link_valid_o && !link_ready_i;
    ans_valid_d  = 1'b0;
    ans_error_d  = back_error_i;
    back_ready_o = 1'b0;
    late_d       = 1'b0;
    unexpected_d = 1'b0;

    if (is_tick) begin
      tick_d     = now_i + Eighth;
      sweeping_d = 1'b1;
    end

    unique case (state_q)
      StClear: begin
        write      = 1'b1;
        wdata      = '0;
        sweep_d    = sweep_q + 1'b1;
        sweeping_d = 1'b0;
        tick_d     = now_i + Eighth;
        if (sweep_d != '0) state_d = StClear;
      end
      StChoose: begin
        if (back_valid_i && known) begin
          raddr   = back_tag_i[LinkWidth-1:0];
          read    = 1'b1;
          state_d = StBack;
        end else if (back_valid_i) begin
          back_ready_o = 1'b1;
          unexpected_d = 1'b1;
        end else if (rd_valid_i && !bus_master_i) begin
          takes       = 1'b1;
          ans_valid_d = 1'b1;
          ans_error_d = 1'b1;
        end else if (rd_valid_i && found_q && fits && !link_valid_d) begin
          takes        = 1'b1;
          link_valid_d = 1'b1;
          write        = 1'b1;
          waddr        = next_q;
          wdata.use_of = TagBusy;
          wdata.age    = 4'd0;
          wdata.card   = rd_tag_i;
          next_d       = after(next_q, wide_tags_i);
          found_d      = 1'b0;
        end else if (!found_q || !fits) begin
          raddr   = next_q;
          read    = 1'b1;
          state_d = StSearch;
        end else if (sweeping_q) begin
          read    = 1'b1;
          state_d = StSweep;
        end
      end
      StBack: begin
        back_ready_o = 1'b1;
        waddr        = back_tag_i[LinkWidth-1:0];
        write        = 1'b1;
        wdata.use_of = TagFree;
        ans_valid_d  = tag.use_of == TagBusy;
        unexpected_d = tag.use_of != TagBusy;
      end
      StSearch: begin
        found_d = tag.use_of == TagFree && fits;
        if (!found_d) next_d = after(next_q, wide_tags_i);
        // a tag does not grow older while none is free, unless the two take turns
        if (sweeping_q) begin
          read    = 1'b1;
          state_d = StSweep;
        end
      end
      StSweep: begin
        write      = 1'b1;
        sweep_d    = sweep_q + 1'b1;
        sweeping_d = sweeping_d && sweep_d != '0;
        // its time begins when the read is sent
        if (tag.use_of != TagFree && !(tag.use_of == TagBusy && never_late_i) && !waits) begin
          wdata.age = tag.age + 4'd1;
          if (wdata.age == Over) begin
            wdata.age    = 4'd0;
            wdata.use_of = tag.use_of == TagBusy ? TagLate : TagFree;
            ans_valid_d  = tag.use_of == TagBusy;
            ans_error_d  = 1'b1;
            late_d       = tag.use_of == TagBusy;
          end
        end
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StClear;
      next_q       <= '0;
      found_q      <= 1'b0;
      sweep_q      <= '0;
      sweeping_q   <= 1'b0;
      tick_q       <= '0;
      link_valid_o <= 1'b0;
      ans_valid_o  <= 1'b0;
      late_o       <= 1'b0;
      unexpected_o <= 1'b0;
    end else begin
      state_q      <= state_d;
      next_q       <= next_d;
      found_q      <= found_d;
      sweep_q      <= sweep_d;
      sweeping_q   <= sweeping_d;
      tick_q       <= tick_d;
      link_valid_o <= link_valid_d;
      ans_valid_o  <= ans_valid_d;
      late_o       <= late_d;
      unexpected_o <= unexpected_d;
    end
  end

  always_ff @(posedge clk_i) begin
    // one that fails at once leaves alone what is offered
    if (takes && bus_master_i) begin
      link_addr_o <= rd_addr_i;
      link_tag_o  <= 8'(next_q);
    end
    ans_error_o <= ans_error_d;
    ans_tag_o   <= takes ? rd_tag_i : tag.card;
    ans_data_o  <= back_data_i;
  end

endmodule
