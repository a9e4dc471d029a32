// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

contract Counter {
    error LimitReached(uint256 limit);

    uint256 public immutable limit;
    uint256 public count;

    constructor(uint256 _limit) {
        limit = _limit;
    }

    function increment() external {
        if (count == limit) revert LimitReached(limit);
        count += 1;
    }
}
