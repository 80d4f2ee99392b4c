/* @TITLE@, as a CUDA program with NCCL, written by pavane.
 *
 *     nvcc -O2 FILE.cu -lnccl -o program
 *     ./program [BYTES]            starts all @RANKS@ ranks on this machine, on its GPUs in turn
 *
 * On several machines a launcher (mpirun, srun, torchrun) starts the ranks, and NCCL_ID_FILE names a file on a disk that
 * all of them share; the file must not exist yet:
 *
 *     NCCL_ID_FILE=/shared/id mpirun -np @RANKS@ ./program [BYTES]
 *
 * BYTES (default 1048576) is the size of the largest buffer. Every rank carries out its transfers step by step, each step
 * one group of ncclSend and ncclRecv. Then every byte of every output is compared with what the collective must deliver,
 * and the time of a run, algorithm bandwidth and bus bandwidth are those of nccl-tests. If several ranks share a GPU, this
 * shows that the schedule is right under NCCL, and nothing about bandwidth. */

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <csignal>
#include <unistd.h>

enum { RANKS = @RANKS@, STEPS = @STEPS@, WARM_UP = 5, RUNS = 20 };
static const double BUS = @BUS@; /* ratio of bus to algorithm bandwidth; 0 if nccl-tests has none */

/* A place is a buffer (i: input, o: output, s: scratch) and the number of a chunk in it; '-' is none. */
struct place { char buffer; int chunk; };
struct transfer { int step, from, to; place source, landing, addend; };
struct copy { int rank; place source, target; };
/* A chunk of an output, and which of `parts` it must be the sum of. */
struct expectation { int rank, chunk, first, count; };
struct part { int rank, chunk; };

static const int inputs[] = {@INPUTS@};
static const int outputs[] = {@OUTPUTS@};
static const int scratch[] = {@SCRATCH@};
/*@TABLES@*/

#define CUDA(call)                                                                                              \
    do {                                                                                                        \
        cudaError_t error = (call);                                                                             \
        if (error != cudaSuccess) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                      \
            exit(3);                                                                                            \
        }                                                                                                       \
    } while (0)
#define NCCL(call)                                                                                              \
    do {                                                                                                        \
        ncclResult_t result = (call);                                                                           \
        if (result != ncclSuccess) {                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(result));                     \
            exit(3);                                                                                            \
        }                                                                                                       \
    } while (0)

__global__ void add(uint32_t *sum, const uint32_t *one, const uint32_t *other, size_t words) {
    for (size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x; at < words; at += (size_t)gridDim.x * blockDim.x)
        sum[at] = one[at] + other[at];
}

/* One word of what a rank has in a chunk of its input. */
static uint32_t pattern(uint32_t rank, uint32_t chunk, uint32_t word) {
    uint32_t x = rank * 2654435761u ^ chunk * 2246822519u ^ word * 3266489917u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

struct machine {
    int rank;
    size_t words; /* of a chunk */
    uint32_t *input, *output, *scratch, *arrived;
    ncclComm_t comm;
    cudaStream_t stream;

    uint32_t *at(place place) const {
        uint32_t *base = place.buffer == 'i' ? input : place.buffer == 'o' ? output : scratch;
        return base + place.chunk * words;
    }

    /* Carries the schedule out once. */
    void run() const {
        for (int i = 0; i < COPIES_COUNT; i++)
            if (copies[i].rank == rank)
                CUDA(cudaMemcpyAsync(at(copies[i].target), at(copies[i].source), 4 * words, cudaMemcpyDeviceToDevice, stream));
        for (int first = 0, last; first < TRANSFERS_COUNT; first = last) {
            last = first;
            while (last < TRANSFERS_COUNT && transfers[last].step == transfers[first].step)
                last++;
            size_t sums = 0;
            NCCL(ncclGroupStart());
            for (int i = first; i < last; i++) {
                const transfer &t = transfers[i];
                if (t.from == rank)
                    NCCL(ncclSend(at(t.source), words, ncclUint32, t.to, comm, stream));
                else if (t.to == rank && t.addend.buffer == '-')
                    NCCL(ncclRecv(at(t.landing), words, ncclUint32, t.from, comm, stream));
                else if (t.to == rank)
                    NCCL(ncclRecv(arrived + words * sums++, words, ncclUint32, t.from, comm, stream));
            }
            NCCL(ncclGroupEnd());
            sums = 0;
            for (int i = first; i < last; i++) {
                const transfer &t = transfers[i];
                if (t.to == rank && t.addend.buffer != '-') {
                    add<<<256, 256, 0, stream>>>(at(t.landing), at(t.addend), arrived + words * sums++, words);
                    CUDA(cudaGetLastError());
                }
            }
        }
    }

    /* The most sums that arrive in one step. */
    size_t most_sums() const {
        size_t most = 0, sums = 0;
        for (int i = 0; i < TRANSFERS_COUNT; i++) {
            if (i > 0 && transfers[i].step != transfers[i - 1].step)
                sums = 0;
            sums += transfers[i].to == rank && transfers[i].addend.buffer != '-';
            most = sums > most ? sums : most;
        }
        return most;
    }
};

static uint32_t *device_words(size_t words) {
    void *memory;
    CUDA(cudaMalloc(&memory, 4 * (words ? words : 1)));
    CUDA(cudaMemset(memory, 0, 4 * (words ? words : 1)));
    return static_cast<uint32_t *>(memory);
}

/* The number of bytes of an output that are not what they must be. */
static uint64_t wrong_bytes(int rank, const std::vector<uint32_t> &output, size_t words, uint64_t *compared) {
    uint64_t wrong = 0;
    for (int i = 0; i < EXPECTED_COUNT; i++) {
        const expectation &e = expected[i];
        if (e.rank != rank)
            continue;
        for (size_t word = 0; word < words; word++) {
            uint32_t must = 0;
            for (int part = e.first; part < e.first + e.count; part++)
                must += pattern(parts[part].rank, parts[part].chunk, (uint32_t)word);
            uint32_t differs = must ^ output[e.chunk * words + word];
            for (; differs; differs >>= 8)
                wrong += (differs & 255) != 0;
        }
        *compared += 4 * words;
    }
    return wrong;
}

/* Runs, checks and measures one rank. Returns its exit code. */
static int work(int rank, int local, long bytes, const ncclUniqueId &id) {
    int devices;
    CUDA(cudaGetDeviceCount(&devices));
    CUDA(cudaSetDevice(local % devices));
    int units = 1;
    for (int other = 0; other < RANKS; other++) {
        units = inputs[other] > units ? inputs[other] : units;
        units = outputs[other] > units ? outputs[other] : units;
    }
    machine own{};
    own.rank = rank;
    own.words = bytes / (4 * units) > 0 ? bytes / (4 * units) : 1;
    size_t words = own.words;
    own.input = device_words(inputs[rank] * words);
    own.output = device_words(outputs[rank] * words);
    own.scratch = device_words(scratch[rank] * words);
    own.arrived = device_words(own.most_sums() * words);
    std::vector<uint32_t> host(inputs[rank] * words);
    for (size_t at = 0; at < host.size(); at++)
        host[at] = pattern(rank, (uint32_t)(at / words), (uint32_t)(at % words));
    CUDA(cudaMemcpy(own.input, host.data(), 4 * host.size(), cudaMemcpyHostToDevice));
    CUDA(cudaStreamCreate(&own.stream));
    NCCL(ncclCommInitRank(&own.comm, RANKS, id, rank));

    own.run();
    CUDA(cudaStreamSynchronize(own.stream));
    host.assign(outputs[rank] * words, 0);
    CUDA(cudaMemcpy(host.data(), own.output, 4 * host.size(), cudaMemcpyDeviceToHost));
    uint64_t totals[2] = {0, 0};
    totals[0] = wrong_bytes(rank, host, words, &totals[1]);

    for (int i = 0; i < WARM_UP; i++)
        own.run();
    cudaEvent_t start, end;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(start, own.stream));
    for (int i = 0; i < RUNS; i++)
        own.run();
    CUDA(cudaEventRecord(end, own.stream));
    CUDA(cudaStreamSynchronize(own.stream));
    float milliseconds;
    CUDA(cudaEventElapsedTime(&milliseconds, start, end));

    /* Sums of the counts and the longest time, over all ranks. */
    uint64_t *shared_totals;
    float *slowest;
    CUDA(cudaMalloc(&shared_totals, sizeof totals));
    CUDA(cudaMalloc(&slowest, sizeof *slowest));
    CUDA(cudaMemcpy(shared_totals, totals, sizeof totals, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(slowest, &milliseconds, sizeof milliseconds, cudaMemcpyHostToDevice));
    NCCL(ncclAllReduce(shared_totals, shared_totals, 2, ncclUint64, ncclSum, own.comm, own.stream));
    NCCL(ncclAllReduce(slowest, slowest, 1, ncclFloat32, ncclMax, own.comm, own.stream));
    CUDA(cudaStreamSynchronize(own.stream));
    CUDA(cudaMemcpy(totals, shared_totals, sizeof totals, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&milliseconds, slowest, sizeof milliseconds, cudaMemcpyDeviceToHost));
    if (rank == 0) {
        double microseconds = 1000.0 * milliseconds / RUNS;
        double size = 4.0 * units * words, bandwidth = size / microseconds / 1000.0;
        printf("%s: %d ranks, %d steps, %.0f bytes; %llu bytes compared, %llu wrong; %.1f us, %.3f GB/s",
               totals[0] ? "FAILED" : "ok", RANKS, STEPS, size, (unsigned long long)totals[1],
               (unsigned long long)totals[0], microseconds, bandwidth);
        if (BUS > 0)
            printf(", bus bandwidth %.3f GB/s", BUS * bandwidth);
        printf("%s\n", getenv("NCCL_HOSTID") ? " (ranks may share a GPU: this shows correctness, not bandwidth)" : "");
        fflush(stdout);
    }
    NCCL(ncclCommDestroy(own.comm));
    return totals[0] ? 1 : 0;
}

/* What the ranks of one machine share. */
struct blackboard {
    volatile int is_written;
    ncclUniqueId id;
};

/* Starts all ranks on this machine. */
static int start_all(long bytes) {
    void *memory = mmap(nullptr, sizeof(blackboard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        return 3;
    }
    blackboard *board = new (memory) blackboard{};
    std::vector<pid_t> children;
    for (int rank = 0; rank < RANKS; rank++) {
        pid_t child = fork();
        if (child < 0) {
            perror("fork");
            return 3;
        }
        if (child > 0) {
            children.push_back(child);
            continue;
        }
        int devices;
        CUDA(cudaGetDeviceCount(&devices));
        if (RANKS > devices) {
            /* NCCL refuses two ranks of one host on one GPU, so every rank claims to be a host of its own. */
            setenv("NCCL_HOSTID", ("rank" + std::to_string(rank)).c_str(), 0);
            setenv("NCCL_SOCKET_IFNAME", "lo", 0);
        }
        if (rank == 0) {
            NCCL(ncclGetUniqueId(&board->id));
            __sync_synchronize();
            board->is_written = 1;
        }
        while (!board->is_written)
            usleep(1000);
        exit(work(rank, rank, bytes, board->id));
    }
    int worst = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        int status;
        wait(&status);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 3;
        worst = code > worst ? code : worst;
        if (code == 3) /* The others would wait for it for ever. */
            for (pid_t child : children)
                kill(child, SIGTERM);
    }
    return worst;
}

/* The rank that a launcher has set, or -1. */
static int launched(const char *const names[], int count) {
    for (int i = 0; i < count; i++)
        if (const char *text = getenv(names[i]))
            return atoi(text);
    return -1;
}

/* Exchanges the identifier of the communicator through a file. */
static int join(int rank, int local, long bytes, const std::string &path) {
    ncclUniqueId id;
    std::string written = path + ".new";
    if (rank == 0) {
        NCCL(ncclGetUniqueId(&id));
        FILE *file = fopen(written.c_str(), "wb");
        if (!file || fwrite(&id, sizeof id, 1, file) != 1 || fclose(file) || rename(written.c_str(), path.c_str())) {
            perror(path.c_str());
            return 3;
        }
    } else {
        FILE *file = nullptr;
        for (int tries = 0; tries < 600 && !(file = fopen(path.c_str(), "rb")); tries++)
            usleep(100000);
        if (!file || fread(&id, sizeof id, 1, file) != 1) {
            fprintf(stderr, "rank %d: no identifier in %s after a minute\n", rank, path.c_str());
            return 3;
        }
        fclose(file);
    }
    int code = work(rank, local, bytes, id);
    if (rank == 0)
        remove(path.c_str());
    return code;
}

int main(int argc, char **argv) {
    long bytes = argc > 1 ? atol(argv[1]) : 1L << 20;
    if (argc > 2 || bytes < 4) {
        fprintf(stderr, "usage: %s [BYTES]   (at least 4)\n", argv[0]);
        return 2;
    }
    const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"};
    const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "LOCAL_RANK"};
    const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "WORLD_SIZE"};
    const char *file = getenv("NCCL_ID_FILE");
    if (!file)
        return start_all(bytes);
    int rank = launched(ranks, 4), local = launched(locals, 4), count = launched(counts, 4);
    if (rank < 0 || rank >= RANKS || (count >= 0 && count != RANKS)) {
        fprintf(stderr, "NCCL_ID_FILE is set: start %d ranks with mpirun, srun or torchrun\n", RANKS);
        return 2;
    }
    return join(rank, local < 0 ? rank : local, bytes, file);
}
