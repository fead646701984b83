# 4 KiB from off-chip memory into the shared buffer and back
.symbol x dram 0x10000 i8 [4096] input
.symbol y dram 0x20000 i8 [4096] output
  get src=@x, dst=0, n0=4096, n1=1, n2=1
  put src=0, dst=@y, n0=4096, n1=1, n2=1
  fence
