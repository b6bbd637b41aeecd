/* there.c - functions of shapes.h that are looked for but never called: their types are not of interest here. */
#define THERE(name)                                                                                                    \
  void name(void);                                                                                                     \
  void name(void) {}

THERE(shape_move)
THERE(shape_kind)
THERE(shape_name)
THERE(shape_new)
THERE(shape_free)
THERE(shape_mean)
THERE(shape_write)
THERE(shape_text)
THERE(shape_open)
THERE(shape_data)
THERE(shape_format)
THERE(shape_list)
THERE(shape_each)
THERE(shape_number)
THERE(shape_flags)
THERE(shape_long)
THERE(shape_die)
THERE(shape_copy)
THERE(shape_id)
THERE(shape_pipe)
THERE(shape_read)
THERE(shape_first)
THERE(shape_callback)
