/**
 * Installs the programs for use-token-programs.test.ts before its time limit starts: one or two minutes on a new
 * machine.
 */
import { installPrograms } from '../../../scripts/python-programs.ts'
import { installHardhat, withoutHardhat } from '../../support/hardhat-program.ts'
import { WEB3_PY } from './web3py/packages.ts'

if (withoutHardhat() === undefined) console.log(installHardhat())
console.log(installPrograms(WEB3_PY))
