"""Values of C that Python shows in part: they keep the rest, and pass it to C again."""

from libpromise import Value, check, lib


class Kept:
    """A value of C with a reference to its content, because Python does not show all of it."""

    def __init__(self, value, shown=None):
        self.value, self.shown = (Value * 1)(), shown
        check(lib.promise_value_retain(value))
        self.value[0] = value[0]

    def __del__(self, release=lib.promise_value_release):
        release(self.value)

    def store(self, out):
        check(lib.promise_value_retain(self.value))
        out[0] = self.value[0]


class Error(Exception):
    """An error that every language understands: a code, the domain that defines it, and a message for people.

    An unchanged Error from C keeps its cause and its origin when it is raised again."""

    kept = None

    def __init__(self, domain, code, message):
        self.domain, self.code, self.message = domain, code, message
        super().__init__(f"{domain} {code}: {message}")


class Discarded(Exception):
    """The reason of a promise that was discarded. One from C keeps its cause when it is raised again."""

    kept = None


class Foreign:
    """An object of another language's type: the name of the type, and the address of the payload.

    One from C keeps the payload alive, and passes to C as that same object."""

    kept = None

    def __init__(self, type_name, payload):
        self.type_name, self.payload = type_name, payload


def _shown(thing):
    return (thing.domain, thing.code, thing.message) if type(thing) is Error else None


def keeping(thing, value):
    """Returns the thing, which shows the value, and keeps it."""
    thing.kept = Kept(value, _shown(thing))
    return thing


def kept(thing):
    """Returns the value that the thing keeps; None if there is none, or if the thing shows something else by now."""
    value = thing.kept if type(thing) in (Discarded, Error, Foreign) else None
    return value if value and value.shown == _shown(thing) else None
