"""TLP headers of this project beside those of cocotbext-pcie, whose `Tlp` is a codec by others.

    tlp.py SEED COUNT < theirs > ours

Standard input holds one TLP a line as JSON: its fields, and `bytes`, its header in hexadecimal. Each is packed from its
fields, which must give the bytes, and unpacked from the bytes, which must give the fields. The first difference ends the
program with status 1 and says what differs. After that, COUNT random TLPs of each kind are printed in the same form, for
the other side to do the same.

cocotbext-pcie knows memory requests, atomics and completions here: no messages, no PASID prefix, and no reserved values of
AT and of the completion status.
"""

import json
import random
import sys

from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpAt, TlpAttr, TlpTc, TlpType
from cocotbext.pcie.core.utils import PcieId

SHORT = {
    "MRd": TlpType.MEM_READ,
    "MWr": TlpType.MEM_WRITE,
    "FetchAdd": TlpType.FETCH_ADD,
    "Swap": TlpType.SWAP,
    "CAS": TlpType.CAS,
    "CplD": TlpType.CPL_DATA,
    "Cpl": TlpType.CPL,
}
LONG = {
    "MRd": TlpType.MEM_READ_64,
    "MWr": TlpType.MEM_WRITE_64,
    "FetchAdd": TlpType.FETCH_ADD_64,
    "Swap": TlpType.SWAP_64,
    "CAS": TlpType.CAS_64,
}
KINDS = {value: kind for table in (SHORT, LONG) for kind, value in table.items()}


def tlp(fields):
    """The TLP with these fields."""
    kind = fields["kind"]
    out = Tlp()
    out.tc = TlpTc(fields["tc"])
    out.attr = TlpAttr(0)
    for name, bit in (("relaxed", TlpAttr.RO), ("id_order", TlpAttr.IDO), ("no_snoop", TlpAttr.NS)):
        if fields[name]:
            out.attr |= bit
    out.ep = fields["poisoned"]
    out.length = fields["length_dw"]
    out.requester_id = PcieId.from_int(fields["requester"])
    out.tag = fields["tag"]
    if kind in LONG:
        out.fmt_type = (SHORT if fields["address"] < 1 << 32 else LONG)[kind]
        out.at = TlpAt(fields["at"])
        out.first_be = fields["first_be"]
        out.last_be = fields["last_be"]
        out.address = fields["address"]
        out.ph = int(fields["no_write"])
    else:
        out.fmt_type = SHORT[kind]
        out.completer_id = PcieId.from_int(fields["completer"])
        out.status = CplStatus(fields["status"])
        out.byte_count = fields["byte_count"]
        out.lower_address = fields["lower_address"]
    return out


def fields(of):
    """The fields of a TLP."""
    kind = KINDS[of.fmt_type]
    out = {
        "kind": kind,
        "tc": int(of.tc),
        "relaxed": TlpAttr.RO in of.attr,
        "id_order": TlpAttr.IDO in of.attr,
        "no_snoop": TlpAttr.NS in of.attr,
        "poisoned": of.ep,
        "length_dw": of.length,
        "requester": int(of.requester_id),
        "tag": of.tag,
    }
    if kind in LONG:
        out |= {
            "at": int(of.at),
            "first_be": of.first_be,
            "last_be": of.last_be,
            "address": of.address,
            # Bit 0 of the last address DW; the bit above it is reserved.
            "no_write": {0: False, 1: True}[of.ph],
        }
    else:
        out |= {
            "completer": int(of.completer_id),
            "status": int(of.status),
            "byte_count": of.byte_count,
            "lower_address": of.lower_address,
        }
    return out


def compare(line):
    """What differs in a line, or nothing."""
    given = json.loads(line)
    header = given.pop("bytes")
    packed = tlp(given).pack_header().hex()
    if packed != header:
        return f"packed as {packed}, and should be {header}: {given}"
    unpacked = fields(Tlp.unpack_header(bytes.fromhex(header)))
    if unpacked != given:
        differ = {key: (unpacked.get(key), given.get(key)) for key in unpacked | given}
        return f"{header} unpacked with other values of {[k for k, (a, b) in differ.items() if a != b]}: {given}"
    return None


def draw(kind, dice):
    """A random TLP."""
    out = Tlp()
    out.tc = TlpTc(dice.randrange(8))
    out.attr = TlpAttr(dice.randrange(8))
    out.ep = dice.random() < 0.5
    out.length = 0 if kind == "Cpl" else dice.randint(1, 1024)
    out.requester_id = PcieId.from_int(dice.randrange(1 << 16))
    out.tag = dice.randrange(1024)
    if kind in LONG:
        out.address = dice.randrange(1 << dice.choice((32, 64))) & ~3
        out.fmt_type = (SHORT if out.address < 1 << 32 else LONG)[kind]
        out.at = dice.choice(list(TlpAt))
        out.first_be = dice.randrange(16)
        out.last_be = dice.randrange(16)
        out.ph = dice.randrange(2)
    else:
        out.fmt_type = SHORT[kind]
        out.completer_id = PcieId.from_int(dice.randrange(1 << 16))
        out.status = dice.choice(list(CplStatus))
        out.byte_count = dice.randint(1, 4096)
        out.lower_address = dice.randrange(128)
    return out


def main():
    seed, count = map(int, sys.argv[1:])
    for number, line in enumerate(sys.stdin, 1):
        if difference := compare(line):
            sys.exit(f"TLP {number} {difference}")
    dice = random.Random(seed)
    for kind in SHORT:
        for _ in range(count):
            drawn = draw(kind, dice)
            print(json.dumps(fields(drawn) | {"bytes": drawn.pack_header().hex()}))


main()
