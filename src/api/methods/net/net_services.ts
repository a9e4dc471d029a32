import { object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import type { ServiceAddress } from '#serve/services-contract.ts'

const Address = object({
  host: string(),
  port: string().meta({ description: 'a decimal number', pattern: '^[0-9]+$' }),
})

export default defineMethod({
  name: 'net_services',
  summary: 'The addresses of the running services of this node.',
  needs: ['services'],
  params: {},
  result: object({
    jsonrpc: Address.optional(),
    ws: Address.optional(),
    p2p: Address.optional(),
    metrics: Address.optional(),
    graphQL: Address.optional(),
  }),
  run: async ({ services }) => {
    const running = Object.entries(await services.all())
    return Object.fromEntries(running.map(([name, address]) => [name, presentAddress(address)]))
  },
})

function presentAddress({ host, port }: ServiceAddress): { host: string; port: string } {
  return { host, port: String(port) }
}
