/* No state: a call of a function that the stand-in lacks is refused, like a kernel that the model cannot run.
 */
#include "standin/absent.h"

int absent_refuse(const char *name)
{
    struct error error;

    standin_enter_closed();
    return (int)standin_leave_status(error_set(&error, STATUS_UNSUPPORTED,
                                               "The program calls %s, which CUDA on the device model does "
                                               "not have (docs/standin.md lists what it "
                                               "has): the run ends with an error.",
                                               name),
                                     &error);
}
