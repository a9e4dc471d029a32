/** Instruction names, and the opcodes that trace formats treat specially. */
export const OP = {
  stop: 0x00,
  calldatacopy: 0x37,
  codecopy: 0x39,
  extcodecopy: 0x3c,
  returndatacopy: 0x3e,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  selfdestruct: 0xff,
} as const

/** Names from the given opcode on. */
const NAMES: readonly (readonly [number, string])[] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY'],
  [0x3a, 'GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'],
  [
    0x40,
    'BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE',
  ],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'],
  [0xa0, 'LOG0 LOG1 LOG2 LOG3 LOG4'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xfa, 'STATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
]

/** By opcode; INVALID if no fork knows it. */
export const OP_NAMES: readonly string[] = namesByCode()

function namesByCode(): string[] {
  const names = new Array<string>(256).fill('INVALID')
  for (const [first, list] of NAMES) {
    for (const [offset, name] of list.split(' ').entries()) names[first + offset] = name
  }
  for (let bytes = 1; bytes <= 32; bytes++) names[0x5f + bytes] = `PUSH${bytes}`
  for (let reach = 1; reach <= 16; reach++) {
    names[0x7f + reach] = `DUP${reach}`
    names[0x8f + reach] = `SWAP${reach}`
  }
  return names
}
