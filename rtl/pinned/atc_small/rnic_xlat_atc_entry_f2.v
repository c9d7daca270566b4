// rnic_xlat_atc_entry_f2: words of an entry of the ATC, with parity
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_entry_f2 (
  input  wire        clock,

  // Key of the fill
  input  wire [51:0] key_granule,
  input  wire [51:0] key_compare,
  input  wire [1:0]  key_function,
  input  wire [3:0]  key_generation,
  input  wire [19:0] key_pasid,
  input  wire        key_pasid_valid,
  input  wire        key_privileged,
  input  wire        key_global,
  input  wire        key_any_pasid,

  // Fill
  input  wire [51:0] fill_address,
  input  wire [51:0] fill_keep,
  input  wire        fill_low,
  input  wire        fill_huge,
  input  wire        fill_read,
  input  wire        fill_write,
  input  wire        fill_exec,
  input  wire        fill_untranslated,
  input  wire        fill_no_snoop,
  input  wire        fill_flip,

  // Words
  output reg  [87:0] tag,
  output reg  [54:0] data,
  output reg  [51:0] large_data
);

  // Signals
  reg [51:0] mixed;

  // Registers
  reg  [51:0] page_q = 52'h0;
  wire [51:0] page_d;
  reg         even_granule_q = 1'b0;
  wire        even_granule_d;
  reg         even_rest_q = 1'b0;
  wire        even_rest_d;
  reg         even_data_q = 1'b0;
  wire        even_data_d;

  always @* begin
    // A translation larger than what is held: the bits between come from the IOVA; so do all with U.
    mixed = (fill_address & fill_keep) | (key_granule & (~fill_keep));
    if (fill_untranslated) begin
      mixed = key_granule;
    end
  end

  assign page_d = mixed & key_compare;
  assign even_granule_d = (^key_granule) ^ fill_flip;
  assign even_rest_d = ((((((((((^key_function) ^ (^key_pasid)) ^ key_pasid_valid) ^ key_privileged) ^ key_global) ^ key_any_pasid) ^ (^key_generation)) ^ fill_read) ^ fill_write) ^ fill_exec) ^ 1'b1;
  assign even_data_d = ((^page_q) ^ fill_untranslated) ^ fill_no_snoop;

  always @* begin
    tag = (({36'h0, key_granule} | ({68'h0, key_pasid} << 52)) | ({84'h0, key_generation} << 76)) | ({86'h0, key_function} << 86);
    tag = (tag & (~(88'h1 << 72))) | ({87'h0, key_pasid_valid} << 72);
    tag = (tag & (~(88'h1 << 73))) | ({87'h0, key_privileged} << 73);
    tag = (tag & (~(88'h1 << 74))) | ({87'h0, key_global} << 74);
    tag = (tag & (~(88'h1 << 75))) | ({87'h0, key_any_pasid} << 75);
    tag = (tag & (~(88'h1 << 80))) | ({87'h0, fill_read} << 80);
    tag = (tag & (~(88'h1 << 81))) | ({87'h0, fill_write} << 81);
    tag = (tag & (~(88'h1 << 82))) | ({87'h0, fill_exec} << 82);
    tag = tag | (88'h1 << 83);
    tag = (tag & (~(88'h1 << 84))) | ({87'h0, even_granule_q} << 84);
    tag = (tag & (~(88'h1 << 85))) | ({87'h0, even_rest_q} << 85);
  end

  always @* begin
    data = {3'h0, page_q};
    data = (data & (~(55'h1 << 52))) | ({54'h0, fill_untranslated} << 52);
    data = (data & (~(55'h1 << 53))) | ({54'h0, fill_no_snoop} << 53);
    data = (data & (~(55'h1 << 54))) | ({54'h0, even_data_q} << 54);
  end

  always @* begin
    large_data = {4'h0, page_q[51:4]};
    large_data = (large_data & (~(52'h1 << 48))) | ({51'h0, ~fill_low} << 48);
    large_data = (large_data & (~(52'h1 << 49))) | ({51'h0, fill_huge} << 49);
    large_data = (large_data & (~(52'h1 << 50))) | ({51'h0, fill_untranslated} << 50);
    large_data = (large_data & (~(52'h1 << 51))) | ({51'h0, fill_no_snoop} << 51);
  end

  always @(posedge clock) begin
    page_q <= page_d;
    even_granule_q <= even_granule_d;
    even_rest_q <= even_rest_d;
    even_data_q <= even_data_d;
  end
endmodule

`default_nettype wire
