/* @TITLE@, as a program over MPI, written by pavane.
 *
 *     mpicc -O2 FILE.c -o program && mpirun -np @RANKS@ ./program [BYTES]
 *
 * Every rank carries out its transfers step by step: receives, sends, one wait, no barrier. Each chunk has BYTES
 * bytes (a multiple of 4). At the end every chunk that a rank wants is compared byte by byte with what it must be:
 * the pattern of its origin or, in a reduce, the sum of the patterns of all contributors. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = @RANKS@, STEPS = @STEPS@, CHUNKS = @CHUNKS@ };

struct transfer { int step, from, to, chunk, reduces; };
struct pair { int chunk, rank; };

/*@TABLES@*/
/* What a rank contributes to a chunk, one word of it. */
static uint32_t pattern(uint32_t chunk, uint32_t rank, uint32_t word) {
    uint32_t x = chunk * 2654435761u ^ rank * 2246822519u ^ word * 3266489917u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x;
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return memory;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long bytes = argc > 1 ? atol(argv[1]) : @BYTES@L;
    if (ranks != RANKS || bytes < 4 || bytes % 4 || bytes > 1L << 30) {
        if (rank == 0)
            fprintf(stderr, "run this on %d ranks, with a multiple of 4 up to %ld as bytes\n", RANKS, 1L << 30);
        MPI_Finalize();
        return 2;
    }
    uint32_t words = (uint32_t)(bytes / 4);

    /* What this rank has of every chunk. */
    uint32_t **held = allocate(CHUNKS * sizeof *held);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        held[chunk] = NULL;
    for (int i = 0; i < CONTRIBUTORS_COUNT; i++) {
        int chunk = contributors[i].chunk;
        if (contributors[i].rank != rank)
            continue;
        held[chunk] = allocate(bytes);
        for (uint32_t word = 0; word < words; word++)
            held[chunk][word] = pattern(chunk, rank, word);
    }

    MPI_Request *requests = allocate(2 * TRANSFERS_COUNT * sizeof *requests);
    uint32_t **arrived = allocate(TRANSFERS_COUNT * sizeof *arrived);
    long failures = 0, sent = 0;
    double start = MPI_Wtime();
    for (int first = 0, last; first < TRANSFERS_COUNT; first = last) {
        int open = 0;
        for (last = first; last < TRANSFERS_COUNT && transfers[last].step == transfers[first].step; last++) {
            struct transfer t = transfers[last];
            if (t.to != rank)
                continue;
            arrived[last] = allocate(bytes);
            MPI_Irecv(arrived[last], (int)words, MPI_UINT32_T, t.from, last % 32768, MPI_COMM_WORLD, &requests[open++]);
        }
        for (int i = first; i < last; i++) {
            struct transfer t = transfers[i];
            if (t.from != rank)
                continue;
            if (!held[t.chunk]) {
                fprintf(stderr, "rank %d has nothing of chunk %d to send in step %d\n", rank, t.chunk, t.step);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            MPI_Isend(held[t.chunk], (int)words, MPI_UINT32_T, t.to, i % 32768, MPI_COMM_WORLD, &requests[open++]);
            sent += bytes;
        }
        MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
        for (int i = first; i < last; i++) {
            struct transfer t = transfers[i];
            if (t.to != rank)
                continue;
            if (t.reduces && held[t.chunk]) {
                for (uint32_t word = 0; word < words; word++)
                    held[t.chunk][word] += arrived[i][word];
                free(arrived[i]);
            } else {
                free(held[t.chunk]);
                held[t.chunk] = arrived[i];
            }
        }
    }
    double seconds = MPI_Wtime() - start;

    long checked = 0;
    uint32_t *expected = allocate(bytes);
    for (int i = 0, next = 0; i < WANTED_COUNT; i++) {
        int chunk = wanted[i].chunk;
        while (contributors[next].chunk < chunk)
            next++;
        if (wanted[i].rank != rank)
            continue;
        memset(expected, 0, bytes);
        for (int j = next; j < CONTRIBUTORS_COUNT && contributors[j].chunk == chunk; j++)
            for (uint32_t word = 0; word < words; word++)
                expected[word] += pattern(chunk, contributors[j].rank, word);
        if (!held[chunk] || memcmp(expected, held[chunk], bytes)) {
            fprintf(stderr, "rank %d: chunk %d is %s\n", rank, chunk, held[chunk] ? "wrong" : "missing");
            failures++;
        }
        checked += bytes;
    }
    long mine[3] = {failures, checked, sent}, all[3];
    MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d ranks, %d steps, %ld bytes sent, %ld bytes checked, %ld wrong chunks, %.6f s\n",
               all[0] ? "FAILED" : "ok", RANKS, STEPS, all[2], all[1], all[0], seconds);
    MPI_Bcast(all, 3, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return all[0] ? 1 : 0;
}
