#include <systemc>

/// SystemC's library asks for it; simulations are started by accord::simulate.
int sc_main(int, char**) { return 0; }
