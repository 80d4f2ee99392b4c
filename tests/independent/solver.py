"""A small SAT solver: conflict-driven clause learning with two watched literals per clause.

Variables are numbered from 1; a literal is a variable or its negative."""

import heapq


class OutOfBudget(Exception):
    """The search ended before it had an answer."""


class Solver:
    def __init__(self):
        self.count, self.clauses, self.units, self.contradiction = 0, [], [], False

    def variable(self):
        self.count += 1
        return self.count

    def add(self, literals):
        if len(literals) > 1:
            self.clauses.append(list(literals))
        elif literals:
            self.units.append(literals[0])
        else:
            self.contradiction = True

    def at_most(self, room, literals):
        """At most `room` of the literals are true: a sequential counter (Sinz, 2005)."""
        if len(literals) <= room:
            return
        if room == 0:
            for literal in literals:
                self.add([-literal])
            return
        previous = None
        for literal in literals:
            counts = [self.variable() for _ in range(room)]
            self.add([-literal, counts[0]])
            if previous:
                for place in range(room):
                    self.add([-previous[place], counts[place]])
                    if place:
                        self.add([-literal, -previous[place - 1], counts[place]])
                self.add([-literal, -previous[-1]])
            previous = counts

    def solve(self, budget):
        """The values of all variables (index 0 is unused); None if unsatisfiable; raises OutOfBudget after `budget` visits of clauses."""
        if self.contradiction:
            return None
        self.value = [None] * (self.count + 1)
        self.level, self.reason = [0] * (self.count + 1), [None] * (self.count + 1)
        self.activity, self.bump = [0.0] * (self.count + 1), 1.0
        self.phase = [False] * (self.count + 1)
        self.order = [(0.0, v) for v in range(1, self.count + 1)]  # A heap; entries with an outdated activity are skipped.
        self.trail, self.marks, self.done, self.budget = [], [], 0, budget
        self.watches = {sign * v: [] for v in range(1, self.count + 1) for sign in (1, -1)}
        for clause in self.clauses:
            self.watch(clause)
        for literal in self.units:
            if self.is_false(literal) or not self.is_true(literal) and self.assign(literal, None):
                return None
        return self.search()

    def search(self):
        restart, since = 50, 0
        while True:
            conflict = self.propagate()
            if conflict is not None:
                if not self.marks:
                    return None
                since += 1
                clause, back = self.learn(conflict)
                self.undo(back)
                if len(clause) > 1:
                    self.watch(clause)
                self.assign(clause[0], clause)
            elif since >= restart:
                restart, since = restart * 1.2, 0
                self.undo(0)
            else:
                variable = self.choose()
                if variable is None:
                    return self.value
                self.marks.append(len(self.trail))
                self.assign(variable if self.phase[variable] else -variable, None)

    def choose(self):
        """The unassigned variable with the highest activity."""
        while self.order:
            activity, variable = heapq.heappop(self.order)
            if self.value[variable] is None and -activity == self.activity[variable]:
                return variable
        return None

    def watch(self, clause):
        self.watches[-clause[0]].append(clause)
        self.watches[-clause[1]].append(clause)

    def is_true(self, literal):
        return self.value[abs(literal)] is (literal > 0)

    def is_false(self, literal):
        return self.value[abs(literal)] is (literal < 0)

    def assign(self, literal, reason):
        variable = abs(literal)
        self.value[variable], self.level[variable], self.reason[variable] = literal > 0, len(self.marks), reason
        self.phase[variable] = literal > 0
        self.trail.append(literal)

    def propagate(self):
        """Unit propagation: returns a clause that became false, or None."""
        value = self.value
        while self.done < len(self.trail):
            literal = self.trail[self.done]
            self.done += 1
            kept, waiting = [], self.watches[literal]
            self.budget -= 1 + len(waiting)
            if self.budget < 0:
                raise OutOfBudget("the search ran out of budget")
            for place, clause in enumerate(waiting):
                if clause[0] == -literal:
                    clause[0], clause[1] = clause[1], clause[0]
                first = clause[0]
                if value[abs(first)] is (first > 0):
                    kept.append(clause)
                    continue
                for index in range(2, len(clause)):
                    other = clause[index]
                    if value[abs(other)] is not (other < 0):
                        clause[1], clause[index] = other, clause[1]
                        self.watches[-other].append(clause)
                        break
                else:
                    kept.append(clause)
                    if value[abs(first)] is (first < 0):
                        self.watches[literal] = kept + waiting[place + 1 :]
                        return clause
                    self.assign(first, clause)
            self.watches[literal] = kept
        return None

    def learn(self, conflict):
        """The clause of the first unique implication point, asserting literal first, and the level to return to."""
        seen, below, open_, index, clause, literal = set(), [], 0, len(self.trail), conflict, None
        while True:
            for other in clause:
                variable = abs(other)
                if other != literal and variable not in seen and self.level[variable] > 0:
                    seen.add(variable)
                    self.activity[variable] += self.bump
                    heapq.heappush(self.order, (-self.activity[variable], variable))
                    if self.level[variable] == len(self.marks):
                        open_ += 1
                    else:
                        below.append(other)
            while abs(self.trail[index - 1]) not in seen:
                index -= 1
            index -= 1
            literal, open_ = self.trail[index], open_ - 1
            if open_ == 0:
                break
            clause = self.reason[abs(literal)]
        self.bump *= 1.05
        below.sort(key=lambda other: -self.level[abs(other)])
        return [-literal, *below], self.level[abs(below[0])] if below else 0

    def undo(self, level):
        if len(self.marks) > level:
            for literal in self.trail[self.marks[level] :]:
                self.value[abs(literal)] = None
                heapq.heappush(self.order, (-self.activity[abs(literal)], abs(literal)))
            del self.trail[self.marks[level] :]
            del self.marks[level:]
            self.done = len(self.trail)
