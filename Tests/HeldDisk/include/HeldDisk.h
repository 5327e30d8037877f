// A library without functions to call: it is loaded into a program (LD_PRELOAD). HeldDisk.c says what it does there.
#pragma once
