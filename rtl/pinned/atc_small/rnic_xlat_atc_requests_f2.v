// rnic_xlat_atc_requests_f2: the fill and the invalidation that the ATC has taken
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_requests_f2 (
  input  wire        clock,
  input  wire        reset,

  // Fill stream
  input  wire        fill_valid,
  input  wire [1:0]  fill_function,
  input  wire        fill_pasid_valid,
  input  wire [19:0] fill_pasid,
  input  wire        fill_privileged,
  input  wire [51:0] fill_granule,
  input  wire [51:0] fill_address,
  input  wire [5:0]  fill_size,
  input  wire        fill_read,
  input  wire        fill_write,
  input  wire        fill_exec,
  input  wire        fill_global,
  input  wire        fill_untranslated,
  input  wire        fill_no_snoop,
  input  wire        fill_flip,
  output wire        fill_ready,

  // Invalidation stream
  input  wire        invalidate_valid,
  input  wire [1:0]  invalidate_function,
  input  wire        invalidate_pasid_valid,
  input  wire [19:0] invalidate_pasid,
  input  wire        invalidate_global,
  input  wire        invalidate_all,
  input  wire [51:0] invalidate_granule,
  input  wire [5:0]  invalidate_size,
  output wire        invalidate_ready,

  // From the engine
  input  wire        cleared,
  input  wire        end_fill,
  input  wire        end_sweep,

  // The fill
  output wire        held_valid,
  output wire [1:0]  held_function,
  output wire        held_pasid_valid,
  output wire [19:0] held_pasid,
  output wire        held_privileged,
  output wire        held_global,
  output wire [51:0] held_granule,
  output wire [51:0] held_address,
  output wire [51:0] held_keep,
  output wire        held_usable,
  output wire        held_large,
  output wire        held_low,
  output wire        held_huge,
  output wire        held_read,
  output wire        held_write,
  output wire        held_exec,
  output wire        held_untranslated,
  output wire        held_no_snoop,
  output wire        held_flip,

  // The invalidation
  output wire        pending_valid,
  output wire [1:0]  pending_function,
  output wire        pending_pasid_valid,
  output wire [19:0] pending_pasid,
  output wire        pending_global,
  output wire        pending_any_pasid,
  output wire        pending_all,
  output wire [51:0] pending_granule,
  output wire [51:0] pending_compare,

  // What has been taken
  output wire [3:0]  epoch,
  output wire        pasid_used
);

  // Constants
  localparam [63:0] ones = 64'hffffffffffffffff;

  // Signals
  wire        fill_take;
  wire        invalidate_take;
  wire [63:0] fill_mask;
  wire [63:0] invalidate_mask;
  wire        fill_stays;
  wire        pending_stays;

  // Registers
  reg        f_valid_q = 1'b0;
  reg        f_valid_d;
  reg [1:0]  f_function_q = 2'h0;
  reg [1:0]  f_function_d;
  reg        f_pasid_valid_q = 1'b0;
  reg        f_pasid_valid_d;
  reg [19:0] f_pasid_q = 20'h0;
  reg [19:0] f_pasid_d;
  reg        f_privileged_q = 1'b0;
  reg        f_privileged_d;
  reg        f_global_q = 1'b0;
  reg        f_global_d;
  reg [51:0] f_granule_q = 52'h0;
  reg [51:0] f_granule_d;
  reg [51:0] f_address_q = 52'h0;
  reg [51:0] f_address_d;
  reg [51:0] f_keep_q = 52'h0;
  reg [51:0] f_keep_d;
  reg        f_usable_q = 1'b0;
  reg        f_usable_d;
  reg        f_large_q = 1'b0;
  reg        f_large_d;
  reg        f_low_q = 1'b0;
  reg        f_low_d;
  reg        f_huge_q = 1'b0;
  reg        f_huge_d;
  reg        f_read_q = 1'b0;
  reg        f_read_d;
  reg        f_write_q = 1'b0;
  reg        f_write_d;
  reg        f_exec_q = 1'b0;
  reg        f_exec_d;
  reg        f_untranslated_q = 1'b0;
  reg        f_untranslated_d;
  reg        f_no_snoop_q = 1'b0;
  reg        f_no_snoop_d;
  reg        f_flip_q = 1'b0;
  reg        f_flip_d;
  reg        p_valid_q = 1'b0;
  reg        p_valid_d;
  reg [1:0]  p_function_q = 2'h0;
  reg [1:0]  p_function_d;
  reg        p_pasid_valid_q = 1'b0;
  reg        p_pasid_valid_d;
  reg [19:0] p_pasid_q = 20'h0;
  reg [19:0] p_pasid_d;
  reg        p_global_q = 1'b0;
  reg        p_global_d;
  reg        p_any_pasid_q = 1'b0;
  reg        p_any_pasid_d;
  reg        p_all_q = 1'b0;
  reg        p_all_d;
  reg [51:0] p_granule_q = 52'h0;
  reg [51:0] p_granule_d;
  reg [51:0] p_compare_q = 52'h0;
  reg [51:0] p_compare_d;
  reg [3:0]  epochs_q = 4'h0;
  reg [3:0]  epochs_d;
  reg        any_pasid_used_q = 1'b0;
  reg        any_pasid_used_d;
  reg        f_ready_q = 1'b0;
  reg        f_ready_d;
  reg        p_ready_q = 1'b0;
  reg        p_ready_d;

  always @* begin
    f_function_d = f_function_q;
    f_pasid_valid_d = f_pasid_valid_q;
    f_pasid_d = f_pasid_q;
    f_privileged_d = f_privileged_q;
    f_global_d = f_global_q;
    f_granule_d = f_granule_q;
    f_address_d = f_address_q;
    f_keep_d = f_keep_q;
    f_usable_d = f_usable_q;
    f_large_d = f_large_q;
    f_low_d = f_low_q;
    f_huge_d = f_huge_q;
    f_read_d = f_read_q;
    f_write_d = f_write_q;
    f_exec_d = f_exec_q;
    f_untranslated_d = f_untranslated_q;
    f_no_snoop_d = f_no_snoop_q;
    f_flip_d = f_flip_q;
    p_function_d = p_function_q;
    p_pasid_valid_d = p_pasid_valid_q;
    p_pasid_d = p_pasid_q;
    p_global_d = p_global_q;
    p_any_pasid_d = p_any_pasid_q;
    p_all_d = p_all_q;
    p_granule_d = p_granule_q;
    p_compare_d = p_compare_q;
    epochs_d = epochs_q;
    any_pasid_used_d = any_pasid_used_q;
    if (fill_take) begin
      f_function_d = fill_function;
      f_pasid_valid_d = fill_pasid_valid;
      f_pasid_d = fill_pasid;
      if (~fill_pasid_valid) begin
        f_pasid_d = 20'h0;
      end
      f_privileged_d = fill_privileged & fill_pasid_valid;
      f_global_d = fill_global & fill_pasid_valid;
      f_granule_d = fill_granule;
      f_address_d = fill_address;
      f_keep_d = fill_mask[63:12];
      f_usable_d = (fill_read | fill_write) & (fill_size >= 6'hc);
      f_large_d = fill_size >= 6'h10;
      f_low_d = fill_size < 6'h15;
      f_huge_d = fill_size >= 6'h1e;
      f_read_d = fill_read;
      f_write_d = fill_write;
      f_exec_d = fill_exec;
      f_untranslated_d = fill_untranslated;
      f_no_snoop_d = fill_no_snoop;
      f_flip_d = fill_flip;
      any_pasid_used_d = any_pasid_used_q | fill_pasid_valid;
    end
    if (invalidate_take) begin
      p_function_d = invalidate_function;
      p_pasid_valid_d = invalidate_pasid_valid;
      p_pasid_d = invalidate_pasid;
      p_global_d = invalidate_global;
      p_any_pasid_d = invalidate_global | (~invalidate_pasid_valid);
      p_all_d = invalidate_all;
      p_granule_d = invalidate_granule;
      p_compare_d = invalidate_mask[63:12];
      if (invalidate_size == 6'h3f) begin
        p_compare_d = 52'h0;
      end
      epochs_d = epochs_q + 4'h1;
    end
    f_valid_d = fill_stays;
    p_valid_d = pending_stays;
    f_ready_d = (cleared & (~fill_stays)) & (~pending_stays);
    p_ready_d = cleared & (~pending_stays);
    if (reset) begin
      f_valid_d = 1'b0;
      p_valid_d = 1'b0;
      f_ready_d = 1'b0;
      p_ready_d = 1'b0;
      epochs_d = 4'h0;
      any_pasid_used_d = 1'b0;
    end
  end

  assign fill_take = fill_valid & f_ready_q;
  assign fill_mask = ones << {58'h0, fill_size};
  assign invalidate_take = invalidate_valid & p_ready_q;
  assign invalidate_mask = ones << {58'h0, invalidate_size};
  // Ready: the buffer is empty after this edge, and no fill overtakes an invalidation.
  assign fill_stays = fill_take | (f_valid_q & (~end_fill));
  assign pending_stays = invalidate_take | (p_valid_q & (~end_sweep));
  assign fill_ready = f_ready_q;
  assign invalidate_ready = p_ready_q;
  assign held_valid = f_valid_q;
  assign held_function = f_function_q;
  assign held_pasid_valid = f_pasid_valid_q;
  assign held_pasid = f_pasid_q;
  assign held_privileged = f_privileged_q;
  assign held_global = f_global_q;
  assign held_granule = f_granule_q;
  assign held_address = f_address_q;
  assign held_keep = f_keep_q;
  assign held_usable = f_usable_q;
  assign held_large = f_large_q;
  assign held_low = f_low_q;
  assign held_huge = f_huge_q;
  assign held_read = f_read_q;
  assign held_write = f_write_q;
  assign held_exec = f_exec_q;
  assign held_untranslated = f_untranslated_q;
  assign held_no_snoop = f_no_snoop_q;
  assign held_flip = f_flip_q;
  assign pending_valid = p_valid_q;
  assign pending_function = p_function_q;
  assign pending_pasid_valid = p_pasid_valid_q;
  assign pending_pasid = p_pasid_q;
  assign pending_global = p_global_q;
  assign pending_any_pasid = p_any_pasid_q;
  assign pending_all = p_all_q;
  assign pending_granule = p_granule_q;
  assign pending_compare = p_compare_q;
  assign epoch = epochs_q;
  assign pasid_used = any_pasid_used_q;

  always @(posedge clock) begin
    f_valid_q <= f_valid_d;
    f_function_q <= f_function_d;
    f_pasid_valid_q <= f_pasid_valid_d;
    f_pasid_q <= f_pasid_d;
    f_privileged_q <= f_privileged_d;
    f_global_q <= f_global_d;
    f_granule_q <= f_granule_d;
    f_address_q <= f_address_d;
    f_keep_q <= f_keep_d;
    f_usable_q <= f_usable_d;
    f_large_q <= f_large_d;
    f_low_q <= f_low_d;
    f_huge_q <= f_huge_d;
    f_read_q <= f_read_d;
    f_write_q <= f_write_d;
    f_exec_q <= f_exec_d;
    f_untranslated_q <= f_untranslated_d;
    f_no_snoop_q <= f_no_snoop_d;
    f_flip_q <= f_flip_d;
    p_valid_q <= p_valid_d;
    p_function_q <= p_function_d;
    p_pasid_valid_q <= p_pasid_valid_d;
    p_pasid_q <= p_pasid_d;
    p_global_q <= p_global_d;
    p_any_pasid_q <= p_any_pasid_d;
    p_all_q <= p_all_d;
    p_granule_q <= p_granule_d;
    p_compare_q <= p_compare_d;
    epochs_q <= epochs_d;
    any_pasid_used_q <= any_pasid_used_d;
    f_ready_q <= f_ready_d;
    p_ready_q <= p_ready_d;
  end
endmodule

`default_nettype wire
