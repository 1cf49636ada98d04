/* The names and texts of the driver's codes. */
#include "standin/driver.h"
#include "standin/errors.h"

STANDIN_API CUresult cuGetErrorName(CUresult code, const char **name)
{
    const struct error_code *found = error_code_find((int)code);

    *name = found ? found->driver_name : NULL;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STANDIN_API CUresult cuGetErrorString(CUresult code, const char **text)
{
    const struct error_code *found = error_code_find((int)code);

    *text = found && found->driver_name ? found->text : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
