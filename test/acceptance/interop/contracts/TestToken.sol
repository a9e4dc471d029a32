// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token whose whole supply is that of its maker.
contract TestToken is ERC20 {
    constructor(uint256 supply) ERC20("Test", "TST") {
        _mint(msg.sender, supply);
    }
}
