import type { Plants } from './plant.ts'

const CHECKS = 'src/doctor/network-checks.ts'
const OTHER = 'src/doctor/other-node.ts'
const TEST = 'src/doctor/network-checks.test.ts'

export const DOCTOR_PLANTS: Plants = {
  'doctor-passed-forks': {
    mistake: 'forks that both nodes have passed are not compared',
    file: CHECKS,
    from: 'if (own.hash !== other.forks.hash) {',
    to: 'if (own.hash.length !== other.forks.hash.length) {',
    caughtBy: TEST,
  },
  'doctor-next-fork': {
    mistake: 'a future fork at another time is not found',
    file: CHECKS,
    from: 'return next === own.next',
    to: 'return next === own.next || next > 0n',
    caughtBy: TEST,
  },
  'doctor-no-next-fork': {
    mistake: 'a node without a next fork is accepted as one that has it',
    file: CHECKS,
    from: 'return next === own.next',
    to: 'return next === own.next || next === 0n',
    caughtBy: TEST,
  },
  'doctor-any-genesis': {
    mistake: 'another block 0 is not found',
    file: CHECKS,
    from: 'theirs === undefined || theirs === network.genesisHash',
    to: 'theirs === undefined || theirs.length === network.genesisHash.length',
    caughtBy: TEST,
  },
  'doctor-any-network-id': {
    mistake: 'another network id is not found',
    file: CHECKS,
    from: 'const theirs = other?.networkId\n',
    to: 'const theirs = undefined as string | undefined\n',
    caughtBy: TEST,
  },
  'doctor-any-key': {
    mistake: 'a node outside the validator set is called a validator',
    file: CHECKS,
    from: 'if (validators.includes(address)) return []',
    to: 'if (validators.length > 0) return []',
    caughtBy: TEST,
  },
  'doctor-late-clock': {
    mistake: 'a slow clock is not found',
    file: CHECKS,
    from: 'if (aheadMs > limits.clockMs) {',
    to: 'if (aheadMs > limits.clockMs * 10_000) {',
    caughtBy: TEST,
  },
  'doctor-standing-chain': {
    mistake: 'a stalled chain is not found',
    file: CHECKS,
    from: 'if (-aheadMs <= quietMs) return []',
    to: 'return []',
    caughtBy: TEST,
  },
  'doctor-any-encoding': {
    mistake: 'validators with a different message encoding are not found',
    file: CHECKS,
    from: 'heard.filter((each) => each !== own)',
    to: 'heard.filter((each) => each === own)',
    caughtBy: TEST,
  },
  'doctor-lonely-node': {
    mistake: 'a multi-validator network without peers is not found',
    file: CHECKS,
    from: 'if (validators.length < 2) return []',
    to: 'if (validators.length < 3) return []',
    caughtBy: TEST,
  },
  'doctor-ibft-validators': {
    mistake: 'the IBFT 2.0 validators are not requested',
    file: OTHER,
    from: "['qbft', 'ibft'].map",
    to: "['qbft'].map",
    caughtBy: TEST,
  },
  'doctor-any-hash': {
    mistake: 'text from a hostile node is printed as a hash',
    file: OTHER,
    from: "genesisHash: textOf(memberOf(block, 'hash'), HASH)",
    to: "genesisHash: textOf(memberOf(block, 'hash'), /./)",
    caughtBy: TEST,
  },
  'doctor-any-number': {
    mistake: 'an invalid number ends the doctor',
    file: OTHER,
    from: 'const QUANTITY = /^0x[0-9a-f]{1,16}$/',
    to: 'const QUANTITY = /^/',
    caughtBy: TEST,
  },
  'doctor-silent-about-hostile': {
    mistake: 'malformed answers are ignored silently',
    file: OTHER,
    from: 'malformed.push(method)',
    to: '',
    caughtBy: TEST,
  },
  'doctor-endless-validators': {
    mistake: 'the number of validators is not limited',
    file: OTHER,
    from: ' || value.length > MAX_VALIDATORS',
    to: '',
    caughtBy: TEST,
  },
}
