"""One valid body for every verb, with every field given."""

from typing import Any

ID = "5d0c1b1e-2c5f-4b55-9d0e-0a4a3f8a3a10"
COMMANDS: dict[str, dict[str, Any]] = {
    "open": {
        "command_id": ID,
        "game": "speeddive",
        "rules": {"places": 3, "computers": False, "thinking_s": 60, "strengths": ["leicht"]},
        "options": {"target": 100, "bilanz": False, "edition": "KLASSISCH"},
    },
    "join": {"command_id": ID, "place": 1, "client_seed": "anna-1"},
    "start": {"command_id": ID, "client_seed": "opener-1"},
    "leave": {"command_id": ID},
    "move": {"command_id": ID, "prompt": 7, "move": {"type": "ChooseTarget", "target": 2}},
    "weiter": {"command_id": ID, "prompt": 3},
    "turbo": {"command_id": ID, "on": True},
    "substitute": {"command_id": ID, "seat": 2},
    "unsuspend": {"command_id": ID, "why": "Ursache behoben"},
    "void": {"command_id": ID, "why": "Alle sind fort"},
    "rat": {"command_id": ID, "prompt": 7, "part": "Sued"},
    "again": {"command_id": ID},
    "resume": {"command_id": ID, "since": 12},
    "decide": {
        "command_id": ID,
        "seat": 1,
        "prompt": 7,
        "move": {"type": "ChooseTarget", "target": 2},
        "strategy": "dive",
        "strategy_version": 3,
        "rng_seed": "00ff",
    },
    "log": {"command_id": ID, "since": 12},
}
