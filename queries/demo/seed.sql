-- From here on random() and random_normal() of this session repeat themselves.
select setseed(%(seed)s)
