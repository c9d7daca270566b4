// rnic_xlat_atc_large_entry_f2_al4: tag of one large-page entry of the ATC
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, AL = 4
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_large_entry_f2_al4 (
  input  wire        clock,
  input  wire        reset,

  // Number of this entry
  input  wire [3:0]  number,

  // Lookup sampled at this edge
  input  wire [47:0] lookup_iova,
  input  wire [1:0]  lookup_function,
  input  wire [19:0] lookup_pasid,
  input  wire        lookup_pasid_valid,
  input  wire        lookup_privileged,
  input  wire        lookup_read,
  input  wire        lookup_write,
  input  wire        lookup_exec,

  // What the entry says, after the edge
  output wire        named,
  output wire        hit,

  // Engine: is the entry valid?
  input  wire [3:0]  look,
  output wire        looked_valid,

  // Engine: clear the entry numbered `at`
  input  wire        clear,
  input  wire [3:0]  at,

  // Engine: write the entry numbered `target`, at the next edge
  input  wire        write,
  input  wire [3:0]  target,

  // Engine: tag to write
  input  wire [47:0] tag_iova,
  input  wire        tag_low,
  input  wire        tag_huge,
  input  wire [1:0]  tag_function,
  input  wire [19:0] tag_pasid,
  input  wire        tag_pasid_valid,
  input  wire        tag_privileged,
  input  wire        tag_any_pasid,
  input  wire        tag_read,
  input  wire        tag_write,
  input  wire        tag_exec
);

  // Signals
  wire mine;
  wire middle;
  wire low;

  // Registers
  reg         writing_q = 1'b0;
  wire        writing_d;
  reg         valid_q = 1'b0;
  reg         valid_d;
  reg  [47:0] iova_q = 48'h0;
  reg  [47:0] iova_d;
  reg         is_low_q = 1'b0;
  reg         is_low_d;
  reg         is_huge_q = 1'b0;
  reg         is_huge_d;
  reg  [1:0]  function_q = 2'h0;
  reg  [1:0]  function_d;
  reg  [19:0] pasid_q = 20'h0;
  reg  [19:0] pasid_d;
  reg         pasid_valid_q = 1'b0;
  reg         pasid_valid_d;
  reg         privileged_q = 1'b0;
  reg         privileged_d;
  reg         any_pasid_q = 1'b0;
  reg         any_pasid_d;
  reg         may_read_q = 1'b0;
  reg         may_read_d;
  reg         may_write_q = 1'b0;
  reg         may_write_d;
  reg         may_exec_q = 1'b0;
  reg         may_exec_d;
  reg         same_top_q = 1'b0;
  wire        same_top_d;
  reg         same_high_q = 1'b0;
  wire        same_high_d;
  reg         same_rest_q = 1'b0;
  wire        same_rest_d;
  reg         same_pasid_q = 1'b0;
  wire        same_pasid_d;
  reg         same_owner_q = 1'b0;
  wire        same_owner_d;
  reg         granted_q = 1'b0;
  wire        granted_d;

  always @* begin
    valid_d = valid_q;
    iova_d = iova_q;
    is_low_d = is_low_q;
    is_huge_d = is_huge_q;
    function_d = function_q;
    pasid_d = pasid_q;
    pasid_valid_d = pasid_valid_q;
    privileged_d = privileged_q;
    any_pasid_d = any_pasid_q;
    may_read_d = may_read_q;
    may_write_d = may_write_q;
    may_exec_d = may_exec_q;
    if (writing_q) begin
      valid_d = 1'b1;
      iova_d = tag_iova;
      is_low_d = tag_low;
      is_huge_d = tag_huge;
      function_d = tag_function;
      pasid_d = tag_pasid;
      pasid_valid_d = tag_pasid_valid;
      privileged_d = tag_privileged;
      any_pasid_d = tag_any_pasid;
      may_read_d = tag_read;
      may_write_d = tag_write;
      may_exec_d = tag_exec;
    end
    if ((clear & mine) | reset) begin
      valid_d = 1'b0;
    end
  end

  // Lookup: partial compares at the edge that samples it.
  assign same_top_d = lookup_iova[47:31] == iova_q[47:31];
  assign same_high_d = lookup_iova[30:14] == iova_q[30:14];
  assign middle = (lookup_iova[13:5] == iova_q[13:5]) | is_huge_q;
  assign low = (lookup_iova[4:0] == iova_q[4:0]) | (~is_low_q);
  assign same_rest_d = middle & low;
  assign same_pasid_d = (lookup_pasid == pasid_q) | any_pasid_q;
  assign same_owner_d = (((lookup_function == function_q) & (lookup_pasid_valid == pasid_valid_q)) & ((lookup_privileged & lookup_pasid_valid) == privileged_q)) & valid_q;
  assign granted_d = ((may_read_q | (~lookup_read)) & (may_write_q | (~lookup_write))) & (may_exec_q | (~lookup_exec));
  assign named = (((same_top_q & same_high_q) & same_rest_q) & same_pasid_q) & same_owner_q;
  assign hit = ((((same_top_q & same_high_q) & same_rest_q) & same_pasid_q) & same_owner_q) & granted_q;
  // Engine.
  assign looked_valid = valid_q & (look == number);
  assign mine = at == number;
  assign writing_d = (write & (target == number)) & (~reset);

  always @(posedge clock) begin
    writing_q <= writing_d;
    valid_q <= valid_d;
    iova_q <= iova_d;
    is_low_q <= is_low_d;
    is_huge_q <= is_huge_d;
    function_q <= function_d;
    pasid_q <= pasid_d;
    pasid_valid_q <= pasid_valid_d;
    privileged_q <= privileged_d;
    any_pasid_q <= any_pasid_d;
    may_read_q <= may_read_d;
    may_write_q <= may_write_d;
    may_exec_q <= may_exec_d;
    same_top_q <= same_top_d;
    same_high_q <= same_high_d;
    same_rest_q <= same_rest_d;
    same_pasid_q <= same_pasid_d;
    same_owner_q <= same_owner_d;
    granted_q <= granted_d;
  end
endmodule

`default_nettype wire
