import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createChannel } from './channel.ts'
import { messagePortToChannelPort } from './channel-port.ts'
import type { Channel, ChannelOptions, Handlers, Protocol } from './channel-protocol.ts'

/** One end of a line between two threads. It is sent in the params and the transfer list of a request. */
export type LinePort = MessagePort

/** A line between two threads that bypasses the thread that started them. */
export function createPortPair(): readonly [LinePort, LinePort] {
  const { port1, port2 } = new MessageChannel()
  return [port1, port2]
}

/** Opens the channel over a port that another thread sent. It closes when that thread ends. */
export function connectPort<Local extends Protocol, Remote extends Protocol>(
  port: LinePort,
  handlers: Handlers<Local>,
  options: ChannelOptions,
): Channel<Local, Remote> {
  return createChannel<Local, Remote>(messagePortToChannelPort(port), handlers, options)
}
