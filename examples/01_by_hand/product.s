# y = i8(clamp(round(scale * (x * w)), -128, 127)) on gemmini16: x is 2x4, w 4x3, scale one number per column.
.symbol x dram 0x1000 i8 [2, 4] constant
.symbol w dram 0x2000 i8 [4, 3] constant
.symbol zero dram 0x3000 i32 [2, 3] constant
.symbol scale dram 0x4000 fp32 [3] constant
.symbol y dram 0x5000 i8 [2, 3] output
.image dram 0x1000 i8
  1, 2, 3, 4
  5, 6, 7, 8
.image dram 0x2000 i8
  1,  0, -1
  0,  1,  1
  2,  0,  0
  0, -1,  1
.image dram 0x3000 zeros 24
.image dram 0x4000 fp32 10, 0.5, 2

  config_act lo=0xc3000000, hi=0x42fe0000      # -128 and 127 as fp32 bits
  config_ex a_step=16                          # bytes from row to row of x in the scratchpad
  config_ld ld_stride=4                        # bytes from row to row of x in dram
  mvin dst=0, src=@x, cols=4, blocks=1, rows=2
  config_ld ld_stride=3
  mvin dst=16, src=@w, cols=3, blocks=1, rows=4
  config_ld ld_stride=12
  mvin_acc dst=0, src=@zero, cols=12, blocks=1, rows=2
  mvin_scale dst=0, src=@scale, cols=12
  preload b_addr=16, c_addr=0, b_load=1
  compute a=0, i=2, j=3, k=4
  config_st st_stride=3
  mvout src=0, dst=@y, scale=0, rows=2, cols=3
  fence
