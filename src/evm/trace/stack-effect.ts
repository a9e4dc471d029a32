/** Stack items that an instruction pops, by opcode; events contain only the pushed items. */
import { OP_NAMES } from './opcodes.ts'

/** Instructions by the number of items they pop. Others pop nothing. */
const TAKEN: readonly (readonly [items: number, names: string])[] = [
  [1, 'ISZERO NOT CLZ BALANCE CALLDATALOAD EXTCODESIZE EXTCODEHASH BLOCKHASH BLOBHASH POP MLOAD SLOAD JUMP'],
  [1, 'TLOAD SELFDESTRUCT'],
  [2, 'ADD MUL SUB DIV SDIV MOD SMOD EXP SIGNEXTEND LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR KECCAK256'],
  [2, 'MSTORE MSTORE8 SSTORE JUMPI TSTORE LOG0 RETURN REVERT'],
  [3, 'ADDMOD MULMOD CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY LOG1 CREATE'],
  [4, 'EXTCODECOPY LOG2 CREATE2'],
  [5, 'LOG3'],
  [6, 'LOG4 DELEGATECALL STATICCALL'],
  [7, 'CALL CALLCODE'],
]

export const DUP1 = 0x80
export const DUP16 = 0x8f
export const SWAP1 = 0x90
export const SWAP16 = 0x9f

/** By opcode; DUP and SWAP pop the items they reach and push them back. */
export const STACK_TAKEN: Uint8Array = takenByOpcode()

function takenByOpcode(): Uint8Array {
  const taken = new Uint8Array(256)
  for (const [items, names] of TAKEN) {
    for (const name of names.split(' ')) taken[OP_NAMES.indexOf(name)] = items
  }
  for (let reach = 1; reach <= 16; reach++) {
    taken[DUP1 + reach - 1] = reach
    taken[SWAP1 + reach - 1] = reach + 1
  }
  return taken
}
