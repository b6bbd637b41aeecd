"""Plugins that write to their worker's socket: rows of the name, the code of hostile.c, and the report of the host."""

import isolated
from building import build

ROWS = [
    ("noise on the worker's socket", 'send_bytes("????????????????", 16)', "it sent a frame of version 63"),
    ("a frame that is too long", "send_header(1u << 29, 1, 10, 0)", "bytes, expected at most"),
    ("half a frame, and nothing after it", "send_header(1 << 20, 1, 10, 0)", "it sent a part of a frame"),
    ("a frame of an unknown kind", "send_header(0, 1, 200, 0)", "it sent a frame of the unknown kind 200"),
    ("a frame that hosts send", r'send_frames(7, "\x80", 1)', "of the kind 'call' in the stage 'running'"),
    ("a second description", r'send_frames(4, "\x80", 1)', "of the kind 'opened' in the stage 'running'"),
    ("a second end of load()", r'send_frames(6, "\xF6", 1)', "of the kind 'loaded' in the stage 'running'"),
    ("a refusal after load()", r'send_frames(8, "\x80", 1)', "of the kind 'failed' in the stage 'running'"),
    ("an end of unload() before it", r'send_frames(26, "\x80", 1)', "of the kind 'unloaded' in the stage 'running'"),
    ("a kept result that is small", r'send_frames(32, "\x05", 1)', "a kept result of 5 bytes, expected at least"),
    ("a line of the log of no level", r'send_frames(24, "\x82\x18\xFF\x61x", 5)', "a line of the log of an unknown form"),
    ("a number in a long form", r'send_frames(10, "\x18\x05", 2)', "with a body that is not a value"),
    ("values nested without end", "send_nested()", "nested deeper than 128 levels"),
    ("blocks of memory that do not come", "send_header(1, 1, 10, 64); send_bytes(\"\", 1)", "64 blocks of memory, of which 0"),
    ("descriptors without end", "for (;;) send_descriptors(1, 100, false)", "more descriptors than a frame may have"),
    ("memory that is not sealed", "send_unsealed()", "shared memory that is not sealed"),
    ("an open file that does not come", "send_file(1, 2, true)", "a frame with 2 open files, of which 1 came"),
    ("an open file that no value is", "send_file(1, 1, false)", "1 open files that no value is"),
    ("an open file that is not announced", "send_file(1, 0, true)", "that is not the next one of the frame's 0"),
    ("an event queue as an open file", "send_file(eventfd(0, 0), 1, true)", "which is neither a file nor a pipe"),
    ("a socket that is shut down", "shutdown(host_socket(), SHUT_RDWR)", "it closed its socket"),
]


def judge(host, code, text):
    return isolated.judge_lines(host, maker(code), text, "hostile.attack")


def judge_pool(host, code, text):
    return isolated.judge_pool(host, maker(code), text, "hostile.attack", 0)


def maker(code):
    return lambda folder: build(folder, "hostile", (f"-DATTACK={code}",))
