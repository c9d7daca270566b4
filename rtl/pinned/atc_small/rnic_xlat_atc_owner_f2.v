// rnic_xlat_atc_owner_f2: whether a fill or an invalidation of the ATC concerns an entry's owner
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_owner_f2 (
  input  wire        clock,

  // Owner of the entry
  input  wire [1:0]  entry_function,
  input  wire [19:0] entry_pasid,
  input  wire        entry_pasid_valid,
  input  wire        entry_privileged,
  input  wire        entry_global,
  input  wire        entry_any_pasid,

  // Owner named by the fill or the invalidation
  input  wire [1:0]  key_function,
  input  wire [19:0] key_pasid,
  input  wire        key_pasid_valid,
  input  wire        key_privileged,
  input  wire        key_global,
  input  wire        key_any_pasid,
  input  wire        key_all,

  // Answers, one edge after the entry
  output wire        same_function,
  output wire        rival,
  output wire        everywhere,
  output wire        in_range
);

  // Signals
  wire scoped;

  // Registers
  reg  function_q = 1'b0;
  wire function_d;
  reg  pasid_q = 1'b0;
  wire pasid_d;
  reg  kind_q = 1'b0;
  wire kind_d;
  reg  pasid_valid_q = 1'b0;
  wire pasid_valid_d;
  reg  global_q = 1'b0;
  wire global_d;
  reg  any_pasid_q = 1'b0;
  wire any_pasid_d;

  assign function_d = entry_function == key_function;
  assign pasid_d = entry_pasid == key_pasid;
  assign kind_d = (entry_pasid_valid == key_pasid_valid) & (entry_privileged == key_privileged);
  assign pasid_valid_d = entry_pasid_valid;
  assign global_d = entry_global;
  assign any_pasid_d = entry_any_pasid;
  assign same_function = function_q;
  assign rival = (function_q & kind_q) & ((pasid_q | any_pasid_q) | key_any_pasid);
  // PCIe 6.x 10.3.8: without a PASID, entries that have one are meant at all addresses.
  assign everywhere = function_q & (key_all | ((~key_pasid_valid) & pasid_valid_q));
  assign scoped = key_global | ((~global_q) & pasid_q);
  assign in_range = function_q & ((~key_pasid_valid) | (pasid_valid_q & scoped));

  always @(posedge clock) begin
    function_q <= function_d;
    pasid_q <= pasid_d;
    kind_q <= kind_d;
    pasid_valid_q <= pasid_valid_d;
    global_q <= global_d;
    any_pasid_q <= any_pasid_d;
  end
endmodule

`default_nettype wire
