import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createChannel } from './channel.ts'
import { messagePortToChannelPort } from './channel-port.ts'
import type { Channel, ChannelOptions, Handlers, Protocol } from './channel-protocol.ts'

/** One end of a line between two threads: it crosses in the params and the transfer list of a request. */
export type LinePort = MessagePort

/** For two threads that talk to each other without the one that started them. */
export function createPortPair(): readonly [LinePort, LinePort] {
  const { port1, port2 } = new MessageChannel()
  return [port1, port2]
}

/** The channel over a port that another thread sent. It closes when the thread at the other end ends. */
export function connectPort<Local extends Protocol, Remote extends Protocol>(
  port: LinePort,
  handlers: Handlers<Local>,
  options: ChannelOptions,
): Channel<Local, Remote> {
  return createChannel<Local, Remote>(messagePortToChannelPort(port), handlers, options)
}
