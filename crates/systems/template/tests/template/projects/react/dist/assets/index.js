var a=1;function b(){return a}
