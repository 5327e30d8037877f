// A library without functions to call, which is loaded into a program (LD_PRELOAD). HeldDisk.c describes its effect.
#pragma once
