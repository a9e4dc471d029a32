import type { Socket } from 'node:net'
import type { ConnectionSlots } from './connection-slots.ts'
import type { ThrottledWarning } from './throttled-warning.ts'

/**
 * Connections without a request hold no slot, so they have their own limit; beyond it, the oldest is closed. A new
 * connection is more likely to be a client than one that has long been silent. There may always be as many as slots,
 * because so many clients may connect before a busy server reads their first requests.
 */
export const SILENT_MAX = 512
/** Each takes about 90 kB from the start. */
export const SILENT_TLS_MAX = 128

export interface HttpConnection {
  /** True while a request is being answered. */
  isBusy: boolean
  /** Pipelined requests, started one after the other. */
  readonly waiting: (() => void)[]
  /* State of request-turns.ts: memory of the waiting requests, bytes taken in this turn, and whether the turn is over. */
  waitingBytes: number
  turnBytes: number
  isResting: boolean
}

/** All sockets of one server. A socket is silent until its first request, then holds a slot until it closes. */
export class Connections {
  readonly #slots: ConnectionSlots
  readonly #silentMax: number
  readonly #onRefused: ThrottledWarning
  readonly #silent = new Map<string, Socket>()
  readonly #sockets = new Set<Socket>()
  readonly #served = new WeakMap<Socket, HttpConnection>()

  constructor(slots: ConnectionSlots, silentMax: number, onRefused: ThrottledWarning) {
    this.#slots = slots
    this.#silentMax = Math.max(silentMax, slots.max)
    this.#onRefused = onRefused
  }

  /** Adds a TCP connection, before TLS and before any byte. */
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

  /** Returns the connection of a request, or null if it exceeded the limit and was closed without an answer. */
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
    // Over TLS this is not the socket that `add` saw, but both have the same remote address and port.
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

/** The name of an unknown address. It is limited and logged like any other address. */
const UNKNOWN_ADDRESS = 'unknown'

/** Never undefined: a connection without an address is one from this process, which has no socket. */
export function addressOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  return remoteAddress ?? UNKNOWN_ADDRESS
}

/**
 * A client that resets its connection before the server accepts it has no address, although its request can still be
 * read. It cannot read an answer, and no limit or audit entry could name it. Node keeps the address once it was read.
 */
function hasAddress({ remoteAddress }: Socket): boolean {
  return remoteAddress !== undefined
}

function endpoint(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
