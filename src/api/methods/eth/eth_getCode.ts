import { defineMethod } from '#api/define-method.ts'
import { readState } from '#api/read-state.ts'
import { Address, Block, DataText, LATEST } from '#api/schema/values.ts'
import { addressToBytes } from '#types/address.ts'
import { formatData } from '#types/hex.ts'

const NO_CODE = new Uint8Array(0)

export default defineMethod({
  name: 'eth_getCode',
  summary: 'The code of an account; null if there is no such block or its state is not kept.',
  needs: ['chain'],
  params: { address: Address, block: Block.default(LATEST) },
  result: DataText.nullable(),
  run: ({ chain }, { address, block }) =>
    readState(chain, block, (state) => {
      const account = state.account(addressToBytes(address))
      return formatData((account && state.code(account.codeHash)) ?? NO_CODE)
    }) ?? null,
})
