/**
 * Serves the usual request without node:http, whose streams and events cost more than a short call. A connection begins
 * here; with its first unusual byte it goes to node:http and stays there, so that nothing is parsed by two rules.
 */
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { Clock, Timer } from '#platform/clock.ts'
import { PlainReader, type PlainRequest } from './plain-request.ts'
import type { ResponseWire } from './response-wire.ts'

export interface PlainSettings {
  readonly clock: Clock
  /** A connection without traffic for longer is closed. */
  readonly silenceMs: number
  readonly keepAliveMs: number
  /** Time until the first byte of a new connection. */
  readonly firstByteMs: number
  readonly checkIntervalMs: number
  onRequest(request: PlainRequest, wire: ResponseWire): void
  /** Lets node:http read the connection from now on. */
  handOver(socket: Socket): void
  /** Refuses a client that connected and sent nothing. */
  refuseSilent(socket: Socket): void
}

export class PlainConnections {
  readonly #settings: PlainSettings
  readonly #reader = new PlainReader()
  readonly #open = new Set<PlainConnection>()
  readonly #timer: Timer

  constructor(settings: PlainSettings) {
    this.#settings = settings
    const { clock, checkIntervalMs } = settings
    this.#timer = clock.every(checkIntervalMs, () => this.#check(), { unref: true })
  }

  add(socket: Socket): void {
    if (socket.destroyed) return
    const connection = new PlainConnection(socket, this.#reader, this.#settings, () => {
      this.#open.delete(connection)
    })
    this.#open.add(connection)
  }

  /** For a server that stops. */
  closeIdle(): void {
    this.#timer.cancel()
    for (const connection of this.#open) if (!connection.isBusy) connection.socket.destroy()
  }

  #check(): void {
    const { clock, keepAliveMs, firstByteMs, refuseSilent } = this.#settings
    const nowMs = clock.monotonicMs()
    for (const { isBusy, hasAsked, idleSinceMs, socket } of this.#open) {
      if (isBusy) continue
      const idleMs = nowMs - idleSinceMs
      if (hasAsked && idleMs > keepAliveMs) socket.destroy()
      if (!hasAsked && idleMs > firstByteMs) refuseSilent(socket)
    }
  }
}

class PlainConnection {
  readonly socket: Socket
  idleSinceMs: number
  hasAsked = false
  readonly #reader: PlainReader
  readonly #settings: PlainSettings
  readonly #onOver: () => void
  #wire: PlainWire | undefined
  /** Bytes that arrived before the current answer was sent; node:http reads them afterwards. */
  readonly #early: Buffer[] = []
  readonly #onData = (chunk: Buffer): void => this.#take(chunk)
  readonly #onEnd = (): void => void this.socket.end()
  readonly #onSilence = (): void => void this.socket.destroy()
  /** An error also closes the connection, and `#onClose` notifies the request. */
  readonly #onError = (): void => undefined
  readonly #onClose = (): void => {
    this.#onOver()
    this.#wire?.fail()
  }

  constructor(socket: Socket, reader: PlainReader, settings: PlainSettings, onOver: () => void) {
    this.socket = socket
    this.#reader = reader
    this.#settings = settings
    this.#onOver = onOver
    this.idleSinceMs = settings.clock.monotonicMs()
    socket.setTimeout(settings.silenceMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onSilence)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get isBusy(): boolean {
    return this.#wire !== undefined
  }

  #take(chunk: Buffer): void {
    if (this.isBusy) {
      this.#early.push(chunk)
      this.socket.pause()
      return
    }
    const request = this.#reader.read(chunk, this.socket)
    if (request === undefined) {
      this.#early.push(chunk)
      this.#handOver()
      return
    }
    this.hasAsked = true
    this.#wire = new PlainWire(this.socket, this.#settings.keepAliveMs, () => this.#onAnswered())
    this.#settings.onRequest(request, this.#wire)
  }

  #onAnswered(): void {
    this.#wire = undefined
    this.idleSinceMs = this.#settings.clock.monotonicMs()
    if (this.#early.length > 0 && !this.socket.destroyed) this.#handOver()
  }

  #handOver(): void {
    const { socket } = this
    socket.pause()
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onSilence)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#onOver()
    for (const chunk of this.#early.reverse()) socket.unshift(chunk)
    this.#settings.handOver(socket)
    socket.resume()
  }
}

class PlainWire implements ResponseWire {
  hasBegun = false
  readonly #socket: Socket
  readonly #keepAliveMs: number
  readonly #onAnswered: () => void
  readonly #listeners: ((isComplete: boolean) => void)[] = []
  #sink: Writable | undefined
  /** Undefined until the exchange is over. */
  #isComplete: boolean | undefined

  constructor(socket: Socket, keepAliveMs: number, onAnswered: () => void) {
    this.#socket = socket
    this.#keepAliveMs = keepAliveMs
    this.#onAnswered = onAnswered
  }

  get isGone(): boolean {
    return this.#socket.destroyed
  }

  send(status: number, reason: string, headers: string[], payload: string | Buffer): void {
    if (this.hasBegun || this.isGone) return
    const head = this.#head(status, reason, headers, '')
    const socket = this.#socket
    if (typeof payload === 'string') socket.write(head + payload)
    else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), payload]))
    const finish = (): void => this.#finish(closesAfter(headers))
    // The system has usually taken all of it already.
    if (socket.writableLength === 0) finish()
    else socket.write('', finish)
  }

  begin(status: number, reason: string, headers: string[]): Writable {
    const socket = this.#socket
    const isSized = headers.includes('content-length')
    socket.write(
      this.#head(status, reason, headers, isSized ? '' : 'Transfer-Encoding: chunked\r\n'),
      'latin1',
    )
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, onDone) => {
        if (isSized || chunk.length === 0) socket.write(chunk, onDone)
        else writeChunk(socket, chunk, onDone)
      },
      final: (onDone) => socket.write(isSized ? '' : '0\r\n\r\n', onDone),
    })
    sink.once('finish', () => this.#finish(closesAfter(headers)))
    // The client left, which `fail` reports.
    sink.on('error', () => undefined)
    this.#sink = sink
    return sink
  }

  destroy(): void {
    this.#socket.destroy()
  }

  onClosed(listener: (isComplete: boolean) => void): void {
    if (this.#isComplete === undefined) this.#listeners.push(listener)
    else listener(this.#isComplete)
  }

  /** The client left before it had its answer. */
  fail(): void {
    this.#sink?.destroy()
    this.#close(false)
  }

  #finish(closes: boolean): void {
    if (closes) this.#socket.destroySoon()
    this.#close(true)
  }

  #close(isComplete: boolean): void {
    if (this.#isComplete !== undefined) return
    this.#isComplete = isComplete
    for (const listener of this.#listeners) listener(isComplete)
    this.#onAnswered()
  }

  /** The same lines as node:http writes, in the same order. */
  #head(status: number, reason: string, headers: readonly string[], framing: string): string {
    this.hasBegun = true
    let head = `HTTP/1.1 ${status} ${reason}\r\n`
    for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
    if (!closesAfter(headers))
      head += `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#keepAliveMs / 1_000)}\r\n`
    return `${head}${framing}\r\n`
  }
}

function closesAfter(headers: readonly string[]): boolean {
  return headers.includes('connection')
}

function writeChunk(socket: Socket, chunk: Buffer, onDone: (error?: Error | null) => void): void {
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk)
  socket.write('\r\n', 'latin1', onDone)
  socket.uncork()
}
