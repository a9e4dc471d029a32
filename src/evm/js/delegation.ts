/** EIP-7702: the code prefix of an account that runs the code of another. */
export const DELEGATION: Uint8Array = Uint8Array.of(0xef, 0x01, 0x00)
const DELEGATION_BYTES = 23

export function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_BYTES && DELEGATION.every((byte, index) => code[index] === byte)
}

export function delegationTo(address: Uint8Array): Uint8Array {
  const code = new Uint8Array(DELEGATION_BYTES)
  code.set(DELEGATION)
  code.set(address, DELEGATION.length)
  return code
}
