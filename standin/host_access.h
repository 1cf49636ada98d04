/*
 * The host that reads or writes memory of the device: what a program with a GPU is killed for. The addresses
 * are reserved (simt/memory/memory.h), so that such an access is a fault; its handler says what the program
 * did, in which function and line, and the program ends with status 1. Other faults, and programs that have
 * a handler of SIGSEGV of their own from later on, are left alone.
 */
#ifndef STANDIN_HOST_ACCESS_H
#define STANDIN_HOST_ACCESS_H

void host_access_begin(void); /* installs the handler */

#endif
