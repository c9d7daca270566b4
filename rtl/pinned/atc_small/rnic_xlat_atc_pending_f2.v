// rnic_xlat_atc_pending_f2: whether a pending invalidation holds a lookup off
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_pending_f2 (
  input  wire        clock,

  // Lookup
  input  wire [1:0]  asked_function,
  input  wire [19:0] asked_pasid,
  input  wire        asked_pasid_valid,
  input  wire [51:0] asked_granule,

  // From the engine
  input  wire        clearing,

  // Invalidation taken and not yet done
  input  wire        pending_valid,
  input  wire [1:0]  pending_function,
  input  wire        pending_pasid_valid,
  input  wire [19:0] pending_pasid,
  input  wire        pending_any_pasid,
  input  wire        pending_all,
  input  wire [51:0] pending_granule,
  input  wire [51:0] pending_compare,

  // Answer, after the edge
  output wire        held_off
);

  // Signals
  wire in_range;

  // Registers
  reg  is_clearing_q = 1'b0;
  wire is_clearing_d;
  reg  function_q = 1'b0;
  wire function_d;
  reg  everywhere_q = 1'b0;
  wire everywhere_d;
  reg  scope_q = 1'b0;
  wire scope_d;
  reg  pasid_q = 1'b0;
  wire pasid_d;
  reg  differs_0_q = 1'b0;
  wire differs_0_d;
  reg  differs_1_q = 1'b0;
  wire differs_1_d;
  reg  differs_2_q = 1'b0;
  wire differs_2_d;
  reg  differs_3_q = 1'b0;
  wire differs_3_d;

  assign is_clearing_d = clearing;
  assign function_d = pending_valid & (asked_function == pending_function);
  // PCIe 6.x 10.3.8: without a PASID, lookups that have one are meant at all addresses.
  assign everywhere_d = pending_all | ((~pending_pasid_valid) & asked_pasid_valid);
  assign scope_d = (~pending_pasid_valid) | asked_pasid_valid;
  assign pasid_d = (asked_pasid == pending_pasid) | pending_any_pasid;
  assign differs_0_d = |((asked_granule[12:0] ^ pending_granule[12:0]) & pending_compare[12:0]);
  assign differs_1_d = |((asked_granule[25:13] ^ pending_granule[25:13]) & pending_compare[25:13]);
  assign differs_2_d = |((asked_granule[38:26] ^ pending_granule[38:26]) & pending_compare[38:26]);
  assign differs_3_d = |((asked_granule[51:39] ^ pending_granule[51:39]) & pending_compare[51:39]);
  assign in_range = (scope_q & pasid_q) & (~(((differs_0_q | differs_1_q) | differs_2_q) | differs_3_q));
  assign held_off = is_clearing_q | (function_q & (everywhere_q | in_range));

  always @(posedge clock) begin
    is_clearing_q <= is_clearing_d;
    function_q <= function_d;
    everywhere_q <= everywhere_d;
    scope_q <= scope_d;
    pasid_q <= pasid_d;
    differs_0_q <= differs_0_d;
    differs_1_q <= differs_1_d;
    differs_2_q <= differs_2_d;
    differs_3_q <= differs_3_d;
  end
endmodule

`default_nettype wire
