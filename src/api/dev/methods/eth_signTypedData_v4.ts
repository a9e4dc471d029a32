import { string, union } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { TypedDataWire, typedDataDigest } from '#api/dev/typed-data.ts'
import { Address, DataText, parsedBy } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { Fault } from '#types/fault.ts'

/** MetaMask takes JSON text, other wallets take the object. */
const Wire = union([TypedDataWire, string().transform(parsedBy(parseJson)).pipe(TypedDataWire)]).meta({
  description: 'typed data (EIP-712), as an object or as its JSON text',
})

export default defineDevMethod({
  name: 'eth_signTypedData_v4',
  aliases: ['eth_signTypedData'],
  summary: 'Signs typed data with an account of the node (EIP-712).',
  needs: ['wallet', 'chain'],
  params: { account: Address, typedData: new Param(Wire, 'INVALID_PARAMS') },
  result: DataText,
  run: ({ wallet, chain }, { account, typedData }) => {
    try {
      return wallet.signDigest(account, typedDataDigest(typedData, chain.keccak))
    } catch (error) {
      if (!(error instanceof Fault) || !WRONG_DATA.has(error.kind)) throw error
      throw rpcFault('INVALID_PARAMS', { data: error.message })
    }
  },
})

/** Faults of typed data, and of addresses and bytes in it. */
const WRONG_DATA: ReadonlySet<string> = new Set(['INVALID_TYPED_DATA', 'INVALID_ADDRESS', 'INVALID_HEX'])

function parseJson(text: string): unknown {
  const parsed = unlessSyntaxError(text)
  if (parsed !== undefined) return parsed
  throw new Fault('INVALID_TYPED_DATA', { sentence: 'The text is not JSON.' })
}

function unlessSyntaxError(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
