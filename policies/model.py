"""The base of every model that crosses a border between packages, processes or files."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Frozen, unknown fields refused, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, ser_json_inf_nan="null")
