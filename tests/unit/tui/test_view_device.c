/* SPDX-License-Identifier: Apache-2.0 */
/* The device sheet on the screen: whose it is, what it says of a GPU, of a model and of a recording. */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>

Test(view_device, is_of_what_is_shown)
{
    start(FIXTURE_PROGRAM, 120, 80);
    press("d");
    cr_assert(shows("Device  NVIDIA H200"));
    cr_assert(shows("97 % used, 1,755 MHz, 655 of 700 W, 61 C, 12.8 of 151 GB, 2 processes"));
    cr_assert(shows("memory clock x bus width x 2 / 8") && shows("4.92 TB/s *"));
    press("G");
    cr_assert(shows("(name not known)"));
    press("k"); /* what comes from outside is made visible */
    cr_assert(shows("512 MB  ./train\\x1b[31m"));
    press("q");
    cr_assert(shows("Kernels  5"));
    stop();
    start(FIXTURE_MODEL, 100, 40);
    press("d");
    cr_assert(shows("Device  MODELLED: NVIDIA H200") && shows("modelled: no ECC; no sensors"));
    stop();
    start(FIXTURE_WORKLOADS, 100, 40);
    press("d");
    cr_assert(shows("n/a: a recording does not keep sensor values"));
    stop();
}

/* What the driver said beyond what a session keeps is shown of the GPU it was asked of, and of no other. */
Test(view_device, the_hosts_device_fills_the_sheet)
{
    static struct device_description device;
    start(FIXTURE_PROGRAM, 120, 80);
    device = (struct device_description){.info = session_device(fixture.session, 0)->info, .asked = true};
    for (int i = 0; i < DEVICE_ATTRIBUTE_COUNT; i++)
        device.attribute[i] = 1;
    fixture.host.device = &device;
    press("d");
    cr_assert(shows("clusters of blocks"));
    device.info.uuid[0] = 1;
    press("j");
    cr_assert(shows("lanescope device reads it"));
    fixture.host.device = NULL;
    stop();
    start(FIXTURE_EMPTY, 120, 80);
    press("d");
    cr_assert(shows("No device is known yet"));
    fixture.host.device = &device;
    press("j");
    cr_assert(shows("clusters of blocks"));
    fixture.host.device = NULL;
    stop();
}

/* A frozen screen keeps its reading; a line that is a heading is never the selected one. */
Test(view_device, freezes_and_skips_headings)
{
    start(FIXTURE_PROGRAM, 120, 30);
    press("d SPACE");
    fixture.host.health = NULL;
    for (int line = 1; line < 100; line++) {
        press(line < 80 ? "j" : "k");
        cr_assert_neq(device_state(&screen)->lines[device_state(&screen)->list.selected].kind, 0, "line %d",
                      line);
    }
    press("g");
    cr_assert_eq(device_state(&screen)->list.selected, 1);
    stop();
}
