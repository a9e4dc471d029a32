import type { Socket } from 'node:net'
import type { ConnectionSlots } from './connection-slots.ts'
import type { ThrottledWarning } from './throttled-warning.ts'

/**
 * Connections that have not sent a request hold no slot, so they need a bound of their own; beyond it the
 * oldest goes. A newcomer is more likely to be a client than one that has been silent for long.
 */
export const SILENT_MAX = 512
/** Each takes some 90 kB from the beginning. */
export const SILENT_TLS_MAX = 128

export interface HttpConnection {
  /** A request is under way: its answer is not out yet. */
  isBusy: boolean
  /** Sent ahead of the answers before them; taken up one after the other. */
  readonly waiting: (() => void)[]
  /* For request-turns.ts: what the waiting ones may hold in memory, what was taken in this turn, whether it is over. */
  waitingBytes: number
  turnBytes: number
  isResting: boolean
}

/** Every socket of one server: silent until its first request, then with a slot until it closes. */
export class Connections {
  readonly #slots: ConnectionSlots
  readonly #silentMax: number
  readonly #onRefused: ThrottledWarning
  readonly #silent = new Map<string, Socket>()
  readonly #sockets = new Set<Socket>()
  readonly #served = new WeakMap<Socket, HttpConnection>()

  constructor(slots: ConnectionSlots, silentMax: number, onRefused: ThrottledWarning) {
    this.#slots = slots
    this.#silentMax = silentMax
    this.#onRefused = onRefused
  }

  /** A TCP connection, before TLS and before any byte. */
  add(socket: Socket): void {
    if (!hasAddress(socket)) {
      socket.destroy()
      return
    }
    const name = endpoint(socket)
    this.#sockets.add(socket)
    this.#silent.set(name, socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#silent.get(name) === socket) this.#silent.delete(name)
    })
    if (this.#silent.size > this.#silentMax) this.#silent.values().next().value?.destroy()
  }

  /** The connection of a request. Null: it was over the limit and is closed without an answer. */
  admit(socket: Socket): HttpConnection | null {
    return this.#served.get(socket) ?? this.#admitNew(socket)
  }

  get(socket: Socket): HttpConnection | undefined {
    return this.#served.get(socket)
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #admitNew(socket: Socket): HttpConnection | null {
    if (!hasAddress(socket)) {
      socket.destroy()
      return null
    }
    // Over TLS this is not the socket that `add` saw; both ends are the same.
    this.#silent.delete(endpoint(socket))
    if (!this.#slots.tryTake()) {
      this.#onRefused({ connections: this.#slots.taken })
      socket.destroy()
      return null
    }
    const connection: HttpConnection = {
      isBusy: false,
      waiting: [],
      waitingBytes: 0,
      turnBytes: 0,
      isResting: false,
    }
    this.#served.set(socket, connection)
    socket.once('close', () => {
      connection.waiting.length = 0
      this.#slots.release()
    })
    return connection
  }
}

/** The name of an address that is not known. It is limited and logged like any other address. */
const UNKNOWN_ADDRESS = 'unknown'

/** A connection is from this process only if it has no socket, so an address that is not known gets a name. */
export function addressOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  return remoteAddress ?? UNKNOWN_ADDRESS
}

/**
 * A client that resets its connection before the server accepts it has no address, although its request can still be
 * read. It cannot read an answer, and no limit or audit entry could name the client. Node keeps the address once it was read.
 */
function hasAddress({ remoteAddress }: Socket): boolean {
  return remoteAddress !== undefined
}

function endpoint(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
