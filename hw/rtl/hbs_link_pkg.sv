// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
// Types that the modules of the PCI Express front end share.

package hbs_link_pkg;

  // Where a request goes.
  typedef enum logic [1:0] {
    SpaceRegs,   // BAR 0
    SpaceLanes,  // BAR 2
    SpaceMsix,   // BAR 4
    SpaceNone    // nowhere: the request is unsupported
  } space_e;

  // Who is to get a completion, and how.
  typedef struct packed {
    logic [15:0] requester;
    logic [7:0]  tag;
    logic [2:0]  tc;
    logic [1:0]  attr;
    logic        locked;
  } who_t;

  // What a request that is to be completed asks for.
  typedef struct packed {
    logic [3:0]  first_be;
    logic [3:0]  last_be;
    logic [10:0] length;  // in double words, 1 to 1024
  } request_t;

  // What is left to do of such a request.
  typedef struct packed {
    space_e      space;
    logic [22:0] word;    // the number of the next one
    logic        upper;   // only the word's upper half
    logic [10:0] left;    // double words from there on
    logic [3:0]  last_be;
    logic [4:0]  start;   // the double word of 128 bytes with which the next completion begins
    logic [1:0]  offset;  // and the byte of it
    logic [12:0] bytes;   // that are still to be completed
  } todo_t;

  // The rest of a completion's header.
  typedef struct packed {
    logic        unsupported;
    logic [11:0] bytes;
    logic [6:0]  lower;   // the address of the first byte
    logic [5:0]  length;  // in double words, 0 to 32
  } completion_t;

endpackage
