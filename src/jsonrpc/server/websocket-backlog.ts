import { nextTurn } from '#platform/next-turn.ts'

/** Maximum bytes that ws may hold for one client before further answers wait in the outbox. */
const HANDED_OVER_MAX_BYTES = 256 * 1024
/** Enough for the header of a block, however many clients there are. */
const HANDED_OVER_LEAST_BYTES = 8 * 1024

/** The limit for all clients of a server; beyond it the clients that cause most of the memory are cut off. */
export const BACKLOG_MAX_BYTES = 64 * 1024 * 1024

/** Characters at either end of a text that tell it from others. */
const KEY_CHARS = 512

/** A text that clients wait for. */
export interface HeldText {
  readonly text: string
  readonly key: string
  /** The number of clients. */
  holders: number
}

export interface BacklogClient {
  /** Bytes of waiting messages, without held texts. */
  readonly lateBytes: number
  readonly heldTexts: Iterable<HeldText>
  /** Frames that the system has taken. */
  readonly takenFrames: number
  /** Drops everything that waits. */
  overflow(): void
}

/** Bounds the bytes that wait for all clients of a server. */
export class Backlog {
  readonly #maxBytes: number
  readonly #lateBytes = new Map<BacklogClient, number>()
  /** By key, so equal texts that were made for each client are in memory once, too. */
  readonly #texts = new Map<string, HeldText>()
  #textBytes = 0
  #clientBytes = 0
  #isRelieving = false

  constructor(maxBytes = BACKLOG_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** The bytes that wait for all clients. A text counts once. */
  get bytes(): number {
    return this.#clientBytes + this.#textBytes
  }

  /** The bytes that ws may hold for each client, so 10,000 clients that do not read stay within the limit. */
  get handedOverMaxBytes(): number {
    const share = this.#maxBytes / Math.max(1, this.#lateBytes.size)
    return Math.floor(Math.min(HANDED_OVER_MAX_BYTES, Math.max(HANDED_OVER_LEAST_BYTES, share)))
  }

  enter(client: BacklogClient): void {
    this.#lateBytes.set(client, 0)
  }

  leave(client: BacklogClient): void {
    this.#clientBytes -= this.#lateBytes.get(client) ?? 0
    this.#lateBytes.delete(client)
  }

  /** Call `update` afterwards. JSON of results is ASCII, so its characters are its bytes. */
  hold(text: string): HeldText {
    const key = keyOf(text)
    const known = this.#texts.get(key)
    if (known?.text === text) {
      known.holders++
      return known
    }
    const held = { text, key, holders: 1 }
    // A second text with this key is not looked for, so finding a text takes one comparison.
    if (known === undefined) this.#texts.set(key, held)
    this.#textBytes += this.#countedBytes(text)
    return held
  }

  release(held: HeldText): void {
    if (--held.holders > 0) return
    if (this.#texts.get(held.key) === held) this.#texts.delete(held.key)
    this.#textBytes -= this.#countedBytes(held.text)
  }

  /** Called when more or less waits for a client. */
  update(client: BacklogClient): void {
    const { lateBytes } = client
    this.#clientBytes += lateBytes - (this.#lateBytes.get(client) ?? 0)
    this.#lateBytes.set(client, lateBytes)
    if (this.#clientBytes > this.#maxBytes) this.#cutOff(this.#clients())
    else if (this.bytes > this.#maxBytes) void this.#relieveSoon()
  }

  /** One text may exceed the limit, as one answer may. */
  #countedBytes(text: string): number {
    return Math.min(text.length, this.#maxBytes / 2)
  }

  /**
   * The clients of a burst get its texts one after another, so the first one would seem to be alone with them. After two
   * turns, those that read have taken a frame.
   */
  async #relieveSoon(): Promise<void> {
    if (this.#isRelieving) return
    this.#isRelieving = true
    const before = new Map(this.#clients().map((client) => [client, client.takenFrames]))
    await nextTurn()
    await nextTurn()
    this.#isRelieving = false
    if (this.bytes <= this.#maxBytes) return
    const hasRead = (client: BacklogClient): boolean => client.takenFrames !== before.get(client)
    this.#cutOff(this.#clients().filter((client) => !hasRead(client)))
    if (this.bytes > this.#maxBytes) this.#cutOff(this.#clients())
  }

  #clients(): BacklogClient[] {
    return [...this.#lateBytes.keys()]
  }

  /** To well below the limit, because thousands of clients may stop reading together, and each search takes time. */
  #cutOff(clients: readonly BacklogClient[]): void {
    const shares = clients.map((client) => ({ client, bytes: shareOf(client) }))
    for (const { client, bytes } of shares.sort((a, b) => b.bytes - a.bytes)) {
      if (bytes === 0 || this.bytes <= this.#maxBytes / 2) return
      client.overflow()
    }
  }
}

/** A text counts in parts, so clients that keep texts of their own go before those in a burst that everyone gets. */
function shareOf({ lateBytes, heldTexts }: BacklogClient): number {
  return lateBytes + partsOf(heldTexts)
}

/** The bytes of each text divided by the number of clients that wait for it. */
export function partsOf(texts: Iterable<HeldText>): number {
  let bytes = 0
  for (const { text, holders } of texts) bytes += text.length / holders
  return bytes
}

/** V8 hashes a long string by its length alone, so a map of complete texts would compare all of one length. */
function keyOf(text: string): string {
  return `${text.length} ${text.slice(0, KEY_CHARS)}${text.slice(-KEY_CHARS)}`
}
