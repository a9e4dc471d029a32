import { nullable, number, object, record, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { presentForkConfigs } from '#rpc/present/fork-config.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'

const ForkConfig = object({
  activationBlock: number().optional(),
  activationTime: number().optional(),
  blobSchedule: object({ baseFeeUpdateFraction: number(), max: number(), target: number() }).optional(),
  chainId: QuantityText.nullable(),
  forkId: string().regex(/^0x[0-9a-f]{8}$/),
  precompiles: record(string(), AddressText),
  systemContracts: record(string(), AddressText).optional(),
}).meta({ title: 'fork configuration' })

export default defineMethod({
  name: 'eth_config',
  summary: 'The rules in force now, those of the next fork and those of the last one scheduled (EIP-7910).',
  needs: ['chain', 'node'],
  params: {},
  result: object({ current: ForkConfig, next: nullable(ForkConfig), last: nullable(ForkConfig) }),
  run: ({ chain, node }) => presentForkConfigs(chain, BigInt(Math.floor(node.wallMs() / 1_000))),
})
