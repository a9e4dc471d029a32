// no block was refused
>> {"jsonrpc":"2.0","id":1,"method":"debug_getBadBlocks","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
