import { isUtf8 } from "node:buffer";
import { type LuaValue, luaValueLimits } from "../lua-value.ts";
import { type LuaApi, luaType } from "./lua-api.ts";

interface Spent {
  items: number;
  bytes: number;
}

/** Large enough for most texts of a request; longer ones are allocated separately. */
const scratchBytes = 16_384;

interface StackSlot {
  readonly state: number;
  readonly index: number;
  readonly depth: number;
}

/** Moves values between JavaScript and a Lua stack. */
export class Marshal {
  readonly #lua: LuaApi;
  readonly #scratch: number;
  readonly #length: number;

  constructor(lua: LuaApi) {
    this.#lua = lua;
    this.#scratch = lua.malloc(scratchBytes);
    this.#length = lua.malloc(8);
  }

  /** Pushes one value on the stack. */
  push(state: number, value: LuaValue, depth = 0): void {
    if (typeof value === "string") this.pushText(state, value);
    else if (typeof value === "number") this.#pushNumber(state, value);
    else if (typeof value === "boolean") this.#lua.lua_pushboolean(state, value ? 1 : 0);
    else if (value instanceof Uint8Array) this.#pushBytes(state, value);
    else if (typeof value === "object" && value !== null) this.#pushTable(state, value, depth);
    else this.#lua.lua_pushnil(state);
  }

  pushText(state: number, text: string): void {
    if (text.length * 3 > scratchBytes) {
      this.#pushBytes(state, Buffer.from(text));
      return;
    }
    const length = this.#lua.bytes().write(text, this.#scratch, "utf8");
    this.#lua.lua_pushlstring(state, this.#scratch, length);
  }

  #pushNumber(state: number, value: number): void {
    if (Number.isSafeInteger(value)) this.#lua.lua_pushinteger(state, BigInt(value));
    else this.#lua.lua_pushnumber(state, value);
  }

  #pushBytes(state: number, bytes: Uint8Array): void {
    const pointer = this.#lua.malloc(Math.max(1, bytes.length));
    this.#lua.bytes().set(bytes, pointer);
    try {
      this.#lua.lua_pushlstring(state, pointer, bytes.length);
    } finally {
      this.#lua.free(pointer);
    }
  }

  #pushTable(state: number, value: Extract<LuaValue, object>, depth: number): void {
    if (depth > luaValueLimits.depth) throw new RangeError("value is nested too deeply");
    const lua = this.#lua;
    lua.lua_checkstack(state, 4);
    if (Array.isArray(value)) {
      lua.lua_createtable(state, value.length, 0);
      for (const [index, item] of value.entries()) {
        this.push(state, item, depth + 1);
        lua.lua_rawseti(state, -2, BigInt(index + 1));
      }
      return;
    }
    const entries = Object.entries(value);
    lua.lua_createtable(state, 0, entries.length);
    for (const [name, item] of entries) {
      if (item === undefined) continue;
      this.pushText(state, name);
      this.push(state, item, depth + 1);
      lua.lua_rawset(state, -3);
    }
  }

  /** Reads without changing the stack; throws a `RangeError` for a value that is too large or not supported. */
  read(state: number, index: number): LuaValue {
    return this.#read({ state, index, depth: 0 }, { items: 0, bytes: 0 });
  }

  #read(place: StackSlot, spent: Spent): LuaValue {
    const { state, index } = place;
    spent.items += 1;
    if (spent.items > luaValueLimits.items) throw new RangeError("value has too many items");
    switch (this.#lua.lua_type(state, index)) {
      case luaType.nil:
        return undefined;
      case luaType.boolean:
        return this.#lua.lua_toboolean(state, index) !== 0;
      case luaType.number:
        return this.#lua.lua_tonumberx(state, index, 0);
      case luaType.string:
        return this.#readString(state, index, spent);
      case luaType.table:
        return this.#readTable(place, spent);
      default:
        throw new RangeError("a function cannot be passed out of a script");
    }
  }

  #readString(state: number, index: number, spent: Spent): string | Uint8Array {
    const pointer = this.#lua.lua_tolstring(state, index, this.#length);
    const memory = this.#lua.bytes();
    const length = memory.readUInt32LE(this.#length);
    spent.bytes += length;
    if (spent.bytes > luaValueLimits.bytes) throw new RangeError("value is too large");
    const slice = memory.subarray(pointer, pointer + length);
    return isUtf8(slice) ? slice.toString("utf8") : new Uint8Array(slice);
  }

  #readTable({ state, index, depth }: StackSlot, spent: Spent): LuaValue {
    if (depth > luaValueLimits.depth) throw new RangeError("value is nested too deeply");
    const lua = this.#lua;
    lua.lua_checkstack(state, 4);
    const table = index < 0 ? lua.lua_gettop(state) + index + 1 : index;
    const entries: [string, LuaValue][] = [];
    let isList = true;
    lua.lua_pushnil(state);
    while (lua.lua_next(state, table) !== 0) {
      const isNumber = lua.lua_type(state, -2) === luaType.number;
      const name = this.#readKey(state, spent);
      isList &&= isNumber && name === String(entries.length + 1);
      entries.push([name, this.#read({ state, index: -1, depth: depth + 1 }, spent)]);
      lua.lua_settop(state, -2);
    }
    return isList && entries.length > 0 ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  }

  /** `lua_tolstring` would convert a number to a text in place, which confuses `lua_next`. */
  #readKey(state: number, spent: Spent): string {
    const type = this.#lua.lua_type(state, -2);
    if (type === luaType.number) return String(this.#lua.lua_tonumberx(state, -2, 0));
    const key = type === luaType.string ? this.#readString(state, -2, spent) : undefined;
    if (typeof key !== "string") throw new RangeError("table keys must be strings or numbers");
    return key;
  }
}
