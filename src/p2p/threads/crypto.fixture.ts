/* The pure forms, in place of the module that the node names. */
import { recoverPublicKey, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'

export const loadCrypto = async () => ({ keccak: keccak256, recover: recoverPublicKey, sign })
