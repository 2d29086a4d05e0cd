-- What a statement would cost, without running it.
explain (format json) 
