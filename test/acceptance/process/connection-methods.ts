/** A method that notifies its caller, in one file, like eth_subscribe. */
import { boolean, number, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import type { Connection } from '#jsonrpc/dispatcher.ts'

const declaration = { summary: 'For tests of connections.', params: {} }
/** Subscribers of this server, by connection. */
const subscribers = new Map<Connection, () => void>()

export default [
  defineMethod({
    ...declaration,
    name: 'planted_subscribe',
    needs: ['connection', 'heads', 'chain'],
    result: string(),
    run({ connection, heads, chain }) {
      const tell = (number: number | bigint): void =>
        connection.notify('eth_subscription', `{"subscription":"0x1","result":"${number}"}`)
      const unsubscribe = heads.onMoved((head) => tell(head.number))
      subscribers.set(connection, unsubscribe)
      connection.onClose(() => {
        unsubscribe()
        subscribers.delete(connection)
      })
      // Called before the response is sent; the notification must still follow the response.
      tell(chain.head().header.number)
      return '0x1'
    },
  }),
  defineMethod({
    ...declaration,
    name: 'planted_unsubscribe',
    needs: ['connection'],
    result: boolean(),
    run({ connection }) {
      subscribers.get(connection)?.()
      return subscribers.delete(connection)
    },
  }),
  defineMethod({
    ...declaration,
    name: 'planted_death',
    needs: ['connection'],
    result: boolean(),
    run: () => process.exit(1),
  }),
  defineMethod({
    ...declaration,
    name: 'planted_count',
    needs: [],
    result: number(),
    run: () => subscribers.size,
  }),
]
