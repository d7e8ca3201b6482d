import type { LuaValue } from "../lua-value.ts";
import { type LuaApi, luaRegistryIndex, luaStatus, luaType } from "./lua-api.ts";
import type { Marshal } from "./marshal.ts";

/** Slot of the table of globals in the registry (manual §4.3). */
const globalsSlot = 2n;

/** One Lua state and its memory use. Its allocator refuses memory beyond `account.limit`. */
export class LuaState {
  readonly pointer: number;
  readonly account = { used: 0, limit: Number.MAX_SAFE_INTEGER };
  readonly #lua: LuaApi;
  readonly #marshal: Marshal;

  constructor(lua: LuaApi, marshal: Marshal) {
    this.#lua = lua;
    this.#marshal = marshal;
    const allocator = lua.addFunction(
      (_data, pointer, oldSize, newSize) => this.#allocate(pointer, oldSize, newSize),
      "iiiii",
    );
    this.pointer = lua.lua_newstate(allocator, 0);
    if (this.pointer === 0) throw new Error("not enough memory for a Lua state");
    this.#openLibraries();
  }

  /** Compiles a text and pushes the function on the stack of `thread`; otherwise returns the error message. */
  compile(thread: number, text: string, chunk: string): string | undefined {
    const lua = this.#lua;
    const source = Buffer.from(text);
    const [sourceAt, chunkAt, modeAt] = [
      this.#copy(source),
      this.#copy(Buffer.from(`${chunk}\0`)),
      this.#copy(Buffer.from("t\0")),
    ];
    try {
      if (lua.luaL_loadbufferx(thread, sourceAt, source.length, chunkAt, modeAt) === luaStatus.ok) return undefined;
      const message = this.messageAt(thread);
      lua.lua_settop(thread, -2);
      return message;
    } finally {
      for (const pointer of [sourceAt, chunkAt, modeAt]) lua.free(pointer);
    }
  }

  pushGlobal(thread: number, name: string): void {
    const lua = this.#lua;
    lua.lua_rawgeti(thread, luaRegistryIndex, globalsSlot);
    this.#marshal.pushText(thread, name);
    lua.lua_gettable(thread, -2);
    lua.lua_rotate(thread, -2, 1);
    lua.lua_settop(thread, -2);
  }

  hasGlobal(name: string): boolean {
    this.pushGlobal(this.pointer, name);
    const type = this.#lua.lua_type(this.pointer, -1);
    this.#lua.lua_settop(this.pointer, -2);
    return type !== luaType.nil;
  }

  /** Reads the last `count` values of a stack without removing them. */
  read(thread: number, count: number): LuaValue[] {
    const top = this.#lua.lua_gettop(thread);
    return Array.from({ length: count }, (_, index) => this.#marshal.read(thread, top - count + index + 1));
  }

  /** The error message on top of a stack. */
  messageAt(thread: number): string {
    const said = this.#marshal.read(thread, -1);
    return typeof said === "string" ? said : "an error value that is not a string";
  }

  #copy(bytes: Buffer): number {
    const pointer = this.#lua.malloc(Math.max(1, bytes.length));
    this.#lua.bytes().set(bytes, pointer);
    return pointer;
  }

  /** Lua's allocator (manual §4.6, lua_Alloc): size 0 frees; returning 0 refuses. */
  #allocate(pointer = 0, oldSize = 0, newSize = 0): number {
    const { account } = this;
    const before = pointer === 0 ? 0 : oldSize;
    if (newSize === 0) {
      account.used -= before;
      if (pointer !== 0) this.#lua.free(pointer);
      return 0;
    }
    const change = newSize - before;
    if (change > 0 && account.used + change > account.limit) return 0;
    const moved = this.#lua.realloc(pointer, newSize);
    if (moved !== 0) account.used += change;
    return moved;
  }

  #openLibraries(): void {
    const lua = this.#lua;
    lua.luaopen_base(this.pointer);
    const libraries = [
      ["string", lua.luaopen_string],
      ["table", lua.luaopen_table],
      ["math", lua.luaopen_math],
      ["utf8", lua.luaopen_utf8],
    ] as const;
    for (const [name, open] of libraries) {
      lua.lua_settop(this.pointer, 0);
      lua.lua_rawgeti(this.pointer, luaRegistryIndex, globalsSlot);
      this.#marshal.pushText(this.pointer, name);
      open(this.pointer);
      lua.lua_rawset(this.pointer, -3);
    }
    lua.lua_settop(this.pointer, 0);
  }
}
